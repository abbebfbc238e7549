// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads a recording with the reference reader, @mcap/core, and checks what is in it:
//   node check_mcap.mjs CENIC_BINARY
// Ends with 77 when the packages are not there (npm ci in this folder installs them).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, openSync, readSync, fstatSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let McapIndexedReader, McapStreamReader, decompress;
try {
  ({ McapIndexedReader, McapStreamReader } = await import("@mcap/core"));
  ({ decompress } = await import("fzstd"));
} catch {
  console.log("skipped: @mcap/core is not installed; run 'npm ci' in tests/recording/mcap");
  process.exit(77);
}

const folder = mkdtempSync(join(tmpdir(), "cenic_mcap_"));
try {
  const file = join(folder, "run.mcap");
  execFileSync(process.argv[2], ["run", "box_stack", "--duration", "1", "--fps", "30", "--quiet", "--record", file]);
  const handle = openSync(file, "r");
  const readable = {
    size: async () => BigInt(fstatSync(handle).size),
    read: async (offset, length) => {
      const bytes = new Uint8Array(Number(length));
      assert.equal(readSync(handle, bytes, 0, Number(length), Number(offset)), Number(length));
      return bytes;
    },
  };
  const decompressHandlers = { zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))) };
  // Every checksum is checked by the reader.
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const schemas = new Map([...reader.schemasById].map(([id, schema]) => [id, schema]));
  const byTopic = {};
  let last = -1n;
  for await (const message of reader.readMessages()) {
    assert.ok(message.logTime >= last, "times ascend");
    last = message.logTime;
    const channel = reader.channelsById.get(message.channelId);
    const schema = schemas.get(channel.schemaId);
    assert.equal(schema.encoding, "jsonschema");
    JSON.parse(new TextDecoder().decode(schema.data));
    (byTopic[channel.topic] ??= []).push({ schema: schema.name, time: message.logTime,
      data: JSON.parse(new TextDecoder().decode(message.data)) });
  }
  const count = Object.values(byTopic).reduce((sum, messages) => sum + messages.length, 0);
  assert.equal(reader.statistics.messageCount, BigInt(count));
  assert.equal(reader.statistics.messageEndTime, 1000000000n);
  assert.deepEqual(Object.keys(byTopic).sort(), ["/contacts", "/scene", "/state", "/steps", "/tf"]);
  assert.equal(byTopic["/tf"].length, 31);
  assert.equal(byTopic["/tf"][0].schema, "foxglove.FrameTransforms");
  assert.equal(byTopic["/scene"].length, 1);
  assert.equal(byTopic["/scene"][0].schema, "foxglove.SceneUpdate");

  // Shapes hang on frames that /tf or the world gives; forces carry the weight of the stack.
  const frames = new Set(["world", ...byTopic["/tf"][0].data.transforms.map((t) => t.child_frame_id)]);
  for (const entity of byTopic["/scene"][0].data.entities) assert.ok(frames.has(entity.frame_id), entity.frame_id);
  const { rotation } = byTopic["/tf"].at(-1).data.transforms[0];
  assert.ok(Math.abs(Math.hypot(rotation.w, rotation.x, rotation.y, rotation.z) - 1) < 1e-9);
  assert.ok(byTopic["/contacts"].at(-1).data.entities[0].arrows.length > 0, "boxes that rest are pushed");
  assert.equal(byTopic["/state"].at(-1).data.t, 1);
  for await (const metadata of reader.readMetadata({ name: "cenic" })) {
    assert.equal(metadata.metadata.get("scene"), "box_stack");
  }

  // The same file as a stream, as a reader of a file cut short would take it.
  const stream = new McapStreamReader({ decompressHandlers });
  stream.append(await readable.read(0n, await readable.size()));
  let streamed = 0;
  for (let record; (record = stream.nextRecord()); ) streamed += record.type === "Message" ? 1 : 0;
  assert.equal(streamed, count);
  assert.ok(stream.done());
  console.log(`${count} messages on ${Object.keys(byTopic).length} topics`);
} finally {
  rmSync(folder, { recursive: true });
}
