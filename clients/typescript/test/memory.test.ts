// Runs against a real service: MERIDIA_URL and MERIDIA_KEY name it.
import assert from "node:assert/strict";
import test from "node:test";

import { connect } from "../src/index.js";

const { MERIDIA_URL: url, MERIDIA_KEY: key } = process.env;
const space = "work";

test("what is captured is recalled, resumed and forgotten", async () => {
  const memory = connect({ url, key });
  const captured = await memory.capture({
    body: {
      space,
      kind: "user_message",
      id: "m-1",
      person: "Dana",
      session: { key: "s1" },
      payload: { text: "I will send you the sail maker's address tomorrow." },
    },
  });
  assert.equal(captured.event_id, "m-1");

  const found = await memory.recall({ body: { space, question: "Who sends an address?" } });
  assert.equal(found.hits[0]?.event_id, "m-1");

  const pack = await memory.resume({ body: { space, person: "Dana" } });
  assert.match(pack.text, /sail maker/);

  const gone = await memory.forget({ body: { space, person: "Dana", dry_run: false } });
  assert.equal(gone.memories, 1);
  const after = await memory.recall({ body: { space, question: "Who sends an address?" } });
  assert.equal(after.hits.length, 0);
});

test("a problem of the service is thrown as it stands in the answer", async () => {
  await assert.rejects(
    connect({ url, key }).show({ query: { space, address: "nobody" } }),
    (problem: { status?: number; detail?: string }) => {
      assert.equal(problem.status, 404);
      assert.match(problem.detail ?? "", /nobody/);
      return true;
    },
  );
  await assert.rejects(connect({ url, key: "wrong" }).recall({ body: { space, question: "x" } }));
});
