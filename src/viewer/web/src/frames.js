// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Frames as the program sends them (src/viewer/frame.h) and as a replay file packs them
// (src/viewer/pack_frames.h).

const TAG = 0x314d5246;
const HEADER = 44;
export const POSE = 7, CONTACT = 12, STEP = 4;

// One frame, from `start` in the buffer: views, not copies.
export function decodeFrame(buffer, start = 0) {
  const head = new DataView(buffer, start, HEADER);
  if (head.getUint32(0, true) !== TAG) throw new Error('not a frame');
  let at = start + HEADER;
  const take = (Type, count) => {
    const view = new Type(buffer, at, count);
    at += 4 * count;
    return view;
  };
  const count = (i) => head.getUint32(20 + 4 * i, true);
  const frame = {
    t: head.getFloat64(8, true), energy: head.getFloat32(4, true), rate: head.getFloat32(16, true),
    poses: take(Float32Array, count(0)), joints: take(Float32Array, count(1)),
  };
  const contacts = take(Float32Array, CONTACT * count(2));
  const ids = new Int32Array(buffer, contacts.byteOffset, contacts.length);
  frame.contacts = {count: count(2), numbers: contacts, ids};
  frame.steps = take(Float32Array, STEP * count(3));
  frame.polygons = {sizes: take(Uint32Array, count(4)), pressures: take(Float32Array, count(4)),
                    corners: take(Float32Array, count(5))};
  frame.bytes = at - start;
  return frame;
}

// Frames one after the other, each after its length.
export function decodeHistory(buffer) {
  const view = new DataView(buffer);
  const frames = [];
  for (let at = 0; at + 4 <= buffer.byteLength;) {
    const size = view.getUint32(at, true);
    frames.push(decodeFrame(buffer, at + 4));
    at += 4 + size;
  }
  return frames;
}

export async function unpackFrames(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return readColumns(await new Response(stream).arrayBuffer());
}

function readColumns(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const columns = {};
  let at = 4 + size;
  for (const {name, type, count} of head.columns) {
    if (type === 'w16' || type === 'w32') {  // lowest bytes, then those above them
      const words = columns[name] = type === 'w16' ? new Uint16Array(count) : new Uint32Array(count);
      for (let shift = 0; shift < 8 * words.BYTES_PER_ELEMENT; shift += 8, at += count) {
        const bytes = new Uint8Array(buffer, at, count);
        for (let i = 0; i < count; ++i) words[i] |= bytes[i] << shift;
      }
    } else {
      const Type = {f32: Float32Array, f64: Float64Array, u32: Uint32Array}[type];
      const bytes = count * Type.BYTES_PER_ELEMENT;
      columns[name] = new Type(buffer.slice(at, at + bytes));
      at += bytes;
    }
  }
  return makeFrames(head, columns);
}

// From what is written for it: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ...
const changeOf = (word) => (word >>> 1) ^ -(word & 1);

// Poses and joints of all frames: changes from frame to frame, channel by channel.
function makeRows(head, c) {
  const width = head.poses + head.joints;
  const rows = new Float32Array(width * head.frames);
  for (let channel = 0, i = 0; channel < width; ++channel) {
    const lo = c.grids[2 * channel], step = c.grids[2 * channel + 1];
    for (let f = 0, word = 0; f < head.frames; ++f, ++i) {
      word += changeOf(c.channels[i]);
      rows[f * width + channel] = lo + word * step;
    }
  }
  return rows;
}

const wide = new DataView(new ArrayBuffer(4));
function lengthen(word) {
  wide.setUint16(0, word);
  return wide.getFloat32(0);
}

function makeContacts(head, c, first, count) {
  const numbers = new Float32Array(CONTACT * count), ids = new Int32Array(numbers.buffer);
  const total = c.contact_points.length / 3, [lo, step] = head.box;
  for (let i = 0; i < count; ++i) {
    for (let k = 0; k < 3; ++k) {
      numbers[CONTACT * i + k] = lo + c.contact_points[k * total + first + i] * step;
      numbers[CONTACT * i + 6 + k] = lengthen(c.contact_forces[k * total + first + i]);
    }
    ids[CONTACT * i + 10] = c.contact_pairs[first + i];
    ids[CONTACT * i + 11] = c.contact_pairs[total + first + i];
  }
  return {count, numbers, ids};
}

function makePolygons(head, c, first, count, firstCorner) {
  const sizes = new Uint32Array(count), pressures = new Float32Array(count);
  let total = 0;
  for (let i = 0; i < count; ++i) {
    sizes[i] = c.polygon_sizes[first + i];
    pressures[i] = lengthen(c.pressures[first + i]);
    total += 3 * sizes[i];
  }
  const corners = new Float32Array(total), [lo, step] = head.box, last = [0, 0, 0];
  for (let i = 0; i < total; ++i) {
    last[i % 3] += changeOf(c.corners[firstCorner + i]);
    corners[i] = lo + last[i % 3] * step;
  }
  return {sizes, pressures, corners};
}

function makeFrames(head, c) {
  const rows = makeRows(head, c), width = head.poses + head.joints;
  const frames = [];
  let contact = 0, polygon = 0, corner = 0, step = 0;
  for (let f = 0; f < head.frames; ++f) {
    const polygons = makePolygons(head, c, polygon, c.polygon_counts[f], corner);
    frames.push({
      t: c.times[f], energy: c.energies[f], rate: c.rates[f],
      poses: rows.subarray(f * width, f * width + head.poses),
      joints: rows.subarray(f * width + head.poses, (f + 1) * width),
      contacts: makeContacts(head, c, contact, c.contact_counts[f]),
      steps: c.steps.subarray(STEP * step, STEP * (step + c.step_counts[f])),
      polygons, bytes: 0,
    });
    contact += c.contact_counts[f];
    polygon += c.polygon_counts[f];
    corner += polygons.corners.length;
    step += c.step_counts[f];
  }
  return frames;
}
