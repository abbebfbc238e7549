// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads a recording with the reference reader, @mcap/core, decodes its messages by the schemas that
// it carries along, and compares what they say with the .npz recording of the same run:
//   node check_mcap.mjs CENIC_BINARY
// Ends with 77 when the packages are not there (npm ci in this folder installs them).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, readSync, fstatSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let McapIndexedReader, McapStreamReader, decompress, protobuf, descriptor;
try {
  ({ McapIndexedReader, McapStreamReader } = await import("@mcap/core"));
  ({ decompress } = await import("fzstd"));
  ({ default: protobuf } = await import("protobufjs"));
  ({ default: descriptor } = await import("protobufjs/ext/descriptor.js"));
} catch {
  console.log("skipped: packages are missing; run 'npm ci' in tests/recording/mcap");
  process.exit(77);
}

// Foxglove's own numbers of fields (its .proto files); what stands in the file alone could be wrong
// and still fit the messages.
const numbers = {
  FrameTransforms: { transforms: 1 },
  FrameTransform: { timestamp: 1, parent_frame_id: 2, child_frame_id: 3, translation: 4, rotation: 5 },
  SceneUpdate: { deletions: 1, entities: 2 },
  SceneEntity: { timestamp: 1, frame_id: 2, id: 3, lifetime: 4, frame_locked: 5, metadata: 6, arrows: 7,
    cubes: 8, spheres: 9, cylinders: 10, lines: 11, triangles: 12, texts: 13, models: 14 },
  ArrowPrimitive: { pose: 1, shaft_length: 2, shaft_diameter: 3, head_length: 4, head_diameter: 5, color: 6 },
  CubePrimitive: { pose: 1, size: 2, color: 3 },
  CylinderPrimitive: { pose: 1, size: 2, bottom_scale: 3, top_scale: 4, color: 5 },
  TriangleListPrimitive: { pose: 1, points: 2, color: 3, colors: 4, indices: 5 },
  Pose: { position: 1, orientation: 2 },
  Vector3: { x: 1, y: 2, z: 3 },
  Quaternion: { x: 1, y: 2, z: 3, w: 4 },
  Color: { r: 1, g: 2, b: 3, a: 4 },
};

// A function from the bytes of a message to an object with every field.
function makeDecoder(schema) {
  const parse = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
  if (schema.encoding === "jsonschema") {
    parse(schema.data);
    return parse;
  }
  assert.equal(schema.encoding, "protobuf");
  const files = descriptor.FileDescriptorSet.decode(schema.data);
  const known = new Set();
  for (const { name, dependency } of files.file) {
    for (const other of dependency ?? []) assert.ok(known.has(other), `${name} imports ${other}, which must stand before`);
    known.add(name);
  }
  const root = protobuf.Root.fromDescriptor(files);
  root.resolveAll();
  for (const [message, fields] of Object.entries(numbers)) {
    if (!known.has(`foxglove/${message}.proto`)) continue;
    const found = root.lookupType(`foxglove.${message}`).fields;
    assert.deepEqual(Object.fromEntries(Object.values(found).map(({ name, id }) => [name, id])), fields);
  }
  const type = root.lookupType(schema.name);
  return (bytes) => type.toObject(type.decode(bytes), { defaults: true, arrays: true, longs: Number });
}

// Arrays of a .npz file, which is a zip archive without compression.
function readArrays(path) {
  const bytes = readFileSync(path), arrays = {};
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const size = bytes.readUInt32LE(at + 18), start = at + 30 + bytes.readUInt16LE(at + 26);
    const data = start + 10 + bytes.readUInt16LE(start + 8), end = start + size;
    const type = { "<f8": Float64Array, "<f4": Float32Array, "<i4": Int32Array }[/'descr': '(.*?)'/.exec(bytes.toString("latin1", start, data))[1]];
    if (type) arrays[bytes.toString("utf8", at + 30, start)] = new type(bytes.buffer.slice(bytes.byteOffset + data, bytes.byteOffset + end));
    at = end;
  }
  return arrays;
}

// Each frame's poses and arrows against those of the recording.
function compareFrames(byTopic, arrays) {
  const poses = arrays["frames/poses.npy"], times = arrays["frames/time.npy"];
  byTopic["/tf"].forEach(({ data, time }, frame) => {
    assert.equal(Number(time), Math.round(1e9 * times[frame]));
    data.transforms.forEach(({ timestamp, parent_frame_id, translation: p, rotation: r }, body) => {
      assert.equal(timestamp.seconds * 1e9 + timestamp.nanos, Number(time));
      assert.equal(parent_frame_id, "world");
      const start = 7 * (frame * data.transforms.length + body);
      assert.deepEqual([p.x, p.y, p.z, r.w, r.x, r.y, r.z], [...poses.slice(start, start + 7)]);
    });
  });
  const starts = arrays["frames/contact_start.npy"], counts = arrays["frames/contact_count.npy"];
  const points = arrays["contacts/point.npy"], forces = arrays["contacts/force.npy"];
  let arrows = 0;
  for (const { data, time } of byTopic["/contacts"]) {
    const frame = times.findIndex((t) => Math.round(1e9 * t) === Number(time));
    const rows = Array.from({ length: counts[frame] }, (_, i) => 3 * (starts[frame] + i))
      .filter((row) => Math.hypot(...forces.slice(row, row + 3)) > 0);
    assert.equal(data.entities[0].arrows.length, rows.length);
    data.entities[0].arrows.forEach(({ pose: { position: p, orientation: r }, shaft_length, head_length }, i) => {
      assert.deepEqual([p.x, p.y, p.z], [...points.slice(rows[i], rows[i] + 3)]);
      const force = [...forces.slice(rows[i], rows[i] + 3)], size = Math.hypot(...force);
      const along = [1 - 2 * (r.y * r.y + r.z * r.z), 2 * (r.x * r.y + r.w * r.z), 2 * (r.x * r.z - r.w * r.y)];
      along.forEach((x, k) => assert.ok(Math.abs(x - force[k] / size) < 1e-5, "arrows point along forces"));
      assert.ok(Math.abs(shaft_length + head_length - Math.min(0.005 * size, 0.5)) < 1e-6);
      ++arrows;
    });
  }
  return arrows;
}

const decompressHandlers = { zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))) };

function openFile(path) {
  const handle = openSync(path, "r");
  return {
    size: async () => BigInt(fstatSync(handle).size),
    read: async (offset, length) => {
      const bytes = new Uint8Array(Number(length));
      assert.equal(readSync(handle, bytes, 0, Number(length), Number(offset)), Number(length));
      return bytes;
    },
  };
}

// Every checksum is checked by the reader. Returns it, and the messages of each topic.
async function readMessages(readable) {
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const decoders = new Map([...reader.schemasById].map(([id, schema]) => [id, makeDecoder(schema)]));
  const byTopic = {};
  let last = -1n;
  for await (const message of reader.readMessages()) {
    assert.ok(message.logTime >= last, "times ascend");
    last = message.logTime;
    const channel = reader.channelsById.get(message.channelId);
    const schema = reader.schemasById.get(channel.schemaId);
    assert.equal(channel.messageEncoding, schema.encoding === "protobuf" ? "protobuf" : "json");
    (byTopic[channel.topic] ??= []).push({ schema: schema.name, time: message.logTime,
      data: decoders.get(channel.schemaId)(message.data) });
  }
  return { reader, byTopic };
}

// How many shapes of each kind there are in a scene.
async function countShapes(scene, file) {
  execFileSync(process.argv[2], ["run", scene, "--duration", "0.1", "--quiet", "--record", file]);
  const { byTopic } = await readMessages(openFile(file));
  const counts = { cubes: 0, spheres: 0, cylinders: 0, triangles: 0 };
  for (const entity of byTopic["/scene"][0].data.entities) {
    for (const kind of Object.keys(counts)) counts[kind] += entity[kind].length;
    for (const { size, bottom_scale, top_scale } of entity.cylinders) {
      assert.ok(size.x > 0 && size.z > 0 && bottom_scale === 1 && top_scale === 1);
    }
    for (const { points, indices } of entity.triangles) {
      assert.deepEqual([points.length, indices.length], [4, 12]);
      assert.deepEqual([...new Set(indices)].sort(), [0, 1, 2, 3]);
      assert.ok(points.some(({ x }) => x === 0.5));
    }
  }
  return counts;
}

const folder = mkdtempSync(join(tmpdir(), "cenic_mcap_"));
try {
  const file = join(folder, "run.mcap"), tables = join(folder, "run.npz");
  execFileSync(process.argv[2], ["run", "box_stack", "--duration", "1", "--fps", "30", "--quiet", "--record", file,
    "--record", tables]);
  const readable = openFile(file);
  const { reader, byTopic } = await readMessages(readable);
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
  for (const entity of byTopic["/scene"][0].data.entities) {
    assert.ok(frames.has(entity.frame_id), entity.frame_id);
    assert.equal(entity.frame_locked, true);
    assert.equal(entity.cubes.length, 1);
    assert.ok(entity.cubes[0].size.x > 0 && entity.cubes[0].color.a > 0);
    assert.equal(entity.cubes[0].pose.orientation.w, 1);
  }
  const { rotation } = byTopic["/tf"].at(-1).data.transforms[0];
  assert.ok(Math.abs(Math.hypot(rotation.w, rotation.x, rotation.y, rotation.z) - 1) < 1e-6);
  assert.ok(compareFrames(byTopic, readArrays(tables)) > 0, "boxes that rest are pushed");
  // Joints with several coordinates are arrays.
  const { t, q, v } = byTopic["/state"].at(-1).data, end = Object.values(q).flat(), arrays = readArrays(tables);
  assert.equal(t, 1);
  assert.equal(q.box_1_free.length, 7);
  end.forEach((x, i) => assert.ok(Math.abs(x - arrays["frames/q.npy"].at(i - end.length)) <= 5.01e-9 * Math.abs(x)));
  assert.equal(Object.values(v).flat().length, arrays["frames/v.npy"].length / 31);
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

  // A capsule is a cylinder and two spheres.
  assert.deepEqual(await countShapes("quadruped", join(folder, "shapes.mcap")), { cubes: 2, spheres: 20, cylinders: 12, triangles: 0 });
  writeFileSync(join(folder, "corner.obj"), "v 0 0 0\nv 0.5 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  writeFileSync(join(folder, "corner.xml"), `<mujoco><asset><mesh name="corner" file="corner.obj"/></asset>
    <worldbody><body><freejoint/><geom type="mesh" mesh="corner"/></body></worldbody></mujoco>`);
  assert.equal((await countShapes(join(folder, "corner.xml"), join(folder, "mesh.mcap"))).triangles, 1);
  console.log(`${count} messages on ${Object.keys(byTopic).length} topics`);
} finally {
  rmSync(folder, { recursive: true });
}
