// The client is generated from the document of a running service, or of a file.
export default {
  input: process.env.MERIDIA_OPENAPI ?? "http://127.0.0.1:8377/openapi.json",
  output: { path: "src/generated", importFileExtension: ".js" },
  plugins: [
    { name: "@hey-api/client-fetch", throwOnError: true },
    "@hey-api/typescript",
    {
      name: "@hey-api/sdk",
      operations: { strategy: "single", containerName: "Operations" },
      responseStyle: "data",
    },
  ],
};
