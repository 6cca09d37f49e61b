// The forms of solids: their geometries and the boxes around them.

/** Two shades on a round body, so that its rotation is seen. */
function shaded(THREE, geometry) {
  const at = geometry.attributes.position, shade = new Float32Array(3 * at.count);
  for (let i = 0; i < at.count; i += 3) {
    let x = 0, z = 0;
    for (let k = i; k < Math.min(i + 3, at.count); k++) { x += at.getX(k); z += at.getZ(k); }
    shade.fill(x * z > 0 ? 1 : 0.72, 3 * i, 3 * i + 9);
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(shade, 3));
  return geometry;
}

function plain(THREE, geometry) {
  const count = 3 * geometry.attributes.position.count;
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(count).fill(1), 3));
  return geometry;
}

/** Geometry of unit size and the scale that makes the form of it; equal keys share a geometry. */
function model(THREE, form) {
  switch (form.kind) {
    case "sphere": return { key: "sphere", scale: [form.radius, form.radius, form.radius],
      make: () => shaded(THREE, new THREE.SphereGeometry(1, 24, 16).toNonIndexed()) };
    case "box": return { key: "box", scale: form.half, edged: true, make: () => plain(THREE, new THREE.BoxGeometry(2, 2, 2)) };
    case "cylinder": return { key: "cylinder", scale: [form.radius, form.half_length, form.radius], edged: true,
      make: () => shaded(THREE, new THREE.CylinderGeometry(1, 1, 2, 32).toNonIndexed()) };
    case "capsule": return { key: `capsule ${form.radius} ${form.half_length}`, scale: [1, 1, 1],
      make: () => shaded(THREE, new THREE.CapsuleGeometry(form.radius, 2 * form.half_length, 8, 20).toNonIndexed()) };
    case "mesh": return { key: JSON.stringify(form), scale: [1, 1, 1], double: !form.convex, edged: true, make: () => {
      const geometry = new THREE.BufferGeometry();
      const corners = form.triangles.flatMap((t) => t.flatMap((v) => form.vertices[v]));
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
      geometry.computeVertexNormals();
      return plain(THREE, geometry);
    } };
    default: return null;
  }
}

/** Half lengths of the box around a solid along its own axes, and its middle there; none for what has no end. */
function reach(form) {
  switch (form.kind) {
    case "sphere": return { half: [form.radius, form.radius, form.radius], middle: [0, 0, 0] };
    case "box": return { half: form.half, middle: [0, 0, 0] };
    case "capsule": return { half: [form.radius, form.half_length + form.radius, form.radius], middle: [0, 0, 0] };
    case "cylinder": return { half: [form.radius, form.half_length, form.radius], middle: [0, 0, 0] };
    case "mesh": {
      const along = [0, 1, 2].map((i) => form.vertices.reduce(([l, h], v) => [Math.min(l, v[i]), Math.max(h, v[i])], [Infinity, -Infinity]));
      return { half: along.map(([l, h]) => (h - l) / 2), middle: along.map(([l, h]) => (l + h) / 2) };
    }
    default: return null;
  }
}

/** The box around the solids of every body, in the body's axes; none for a body without a solid that ends. */
function boxes(THREE, { bodies, solids }) {
  const all = bodies.map(() => null), corner = new THREE.Vector3();
  for (const { body, form, position, orientation } of solids) {
    const own = reach(form);
    if (!own) continue;
    const place = new THREE.Vector3(...position), turn = new THREE.Quaternion(...orientation);
    const box = all[body] ??= new THREE.Box3();
    for (let k = 0; k < 8; k++) {
      corner.set(...own.half.map((half, i) => own.middle[i] + (k >> i & 1 ? half : -half)));
      box.expandByPoint(corner.applyQuaternion(turn).add(place));
    }
  }
  return all;
}
