// Reads the recorded cells: the inverse of what `delassus-replay` writes.
"use strict";

const HEADLINE = 18 + 64 + 1;

async function readReplay(text) {
  const binary = atob(text.trim());
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const end = bytes.indexOf(10, HEADLINE);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(HEADLINE, end)));
  const stream = new Blob([bytes.subarray(end + 1)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const columns = new Uint8Array(await new Response(stream).arrayBuffer());
  return { header, frames: readFrames(header, columns) };
}

function readFrames(header, columns) {
  const bodies = header.stage.bodies.length;
  let at = 0;
  const take = (n) => {
    if (at + n > columns.length) throw new Error("a replay is cut short");
    at += n;
    return columns.subarray(at - n, at);
  };
  const changes = (n) => {
    const low = take(n), high = take(n), out = new Int32Array(n);
    for (let i = 0; i < n; i++) {
      const folded = low[i] | high[i] << 8;
      out[i] = (folded >> 1) ^ -(folded & 1);
    }
    return out;
  };
  const triples = (last, before) => {
    const out = new Uint16Array(3 * bodies);
    for (let axis = 0; axis < 3; axis++) {
      const change = changes(bodies);
      for (let i = 0; i < bodies; i++) {
        const k = 3 * i + axis, a = last ? last[k] : 0, b = before ? before[k] : a;
        out[k] = 2 * a - b + change[i];
      }
    }
    return out;
  };
  const numbers = (n) => {
    const out = new Uint32Array(n);
    for (let shift = 0; shift < 32; shift += 8) {
      const bytes = take(n);
      for (let i = 0; i < n; i++) out[i] |= bytes[i] << shift;
    }
    return out;
  };
  const contacts = (before, added) => {
    const stays = take(before.count), order = [];
    for (let i = 0; i < before.count; i++) if (stays[i]) order.push([before.bodies[2 * i], before.bodies[2 * i + 1], i]);
    const first = numbers(added), second = numbers(added);
    for (let i = 0; i < added; i++) order.push([first[i], second[i], -1]);
    order.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const n = order.length;
    const out = { count: n, bodies: new Uint32Array(2 * n), places: new Uint16Array(3 * n), bytes: new Uint8Array(6 * n) };
    order.forEach(([a, b], i) => { out.bodies[2 * i] = a; out.bodies[2 * i + 1] = b; });
    for (let axis = 0; axis < 3; axis++) {
      const change = changes(n);
      for (let i = 0; i < n; i++) {
        const j = order[i][2];
        out.places[3 * i + axis] = (j < 0 ? 0 : before.places[3 * j + axis]) + change[i];
      }
    }
    for (let column = 0; column < 6; column++) {
      const change = take(n);
      for (let i = 0; i < n; i++) {
        const j = order[i][2];
        out.bytes[6 * i + column] = (j < 0 ? 0 : before.bytes[6 * j + column]) + change[i];
      }
    }
    return out;
  };
  const frames = [];
  const none = { count: 0, bodies: [], places: [], bytes: [] };
  for (const added of header.added) {
    const last = frames[frames.length - 1], before = frames[frames.length - 2];
    const places = triples(last && last.places, before && before.places);
    const turns = triples(last && last.turns, before && before.turns);
    const levels = (old) => Uint8Array.from(take(bodies), (change, i) => (old ? old[i] : 0) + change);
    const speeds = levels(last && last.speeds);
    const residuals = header.residual && header.residual.top > 0 ? levels(last && last.residuals) : new Uint8Array(bodies);
    frames.push({ places, turns, speeds, residuals, contacts: contacts(last ? last.contacts : none, added) });
  }
  return frames;
}

/** The magnitude of a level on a scale of five decades. */
function magnitude(scale, code) {
  return code === 0 ? 0 : scale.top * Math.pow(10, (code - 255) * 5 / 254);
}

/** The quaternion i, j, k, w of three codes. */
function orientation(codes, at, out) {
  const largest = (codes[at] & 1) | (codes[at + 1] & 1) << 1;
  let rest = 1, next = 0;
  for (let i = 0; i < 4; i++) {
    if (i === largest) continue;
    const x = ((codes[at + next++] >> 1) / 16383 - 1) * Math.SQRT1_2;
    out[i] = x;
    rest -= x * x;
  }
  out[largest] = Math.sqrt(Math.max(rest, 0));
  return out;
}

/** The unit vector of two codes. */
function direction(bytes, at, out) {
  let x = bytes[at] / 127 - 1, z = bytes[at + 1] / 127 - 1;
  const y = 1 - Math.abs(x) - Math.abs(z);
  if (y < 0) {
    const u = (1 - Math.abs(z)) * (x < 0 ? -1 : 1);
    z = (1 - Math.abs(x)) * (z < 0 ? -1 : 1);
    x = u;
  }
  const size = Math.hypot(x, y, z);
  out[0] = x / size; out[1] = y / size; out[2] = z / size;
  return out;
}
