// The client of a Meridia service. All but `connect` is generated: one method an operation, with
// the names of /openapi.json; each resolves to the answer, or throws the service's problem.
import { createClient, createConfig } from "./generated/client/index.js";
import { Operations } from "./generated/sdk.gen.js";

export * from "./generated/types.gen.js";
export { Operations };

/** Where the service is, and the key that `meridia keys create` printed. */
export interface Service {
  url?: string;
  key?: string;
}

/** Return the operations of a service; `url` is http://127.0.0.1:8377 by default. */
export function connect({ url = "http://127.0.0.1:8377", key }: Service = {}): Operations {
  const config = createConfig({ baseUrl: url, auth: key, throwOnError: true, responseStyle: "data" });
  return new Operations({ client: createClient(config) });
}
