// One cell as a scene of three.js.

const VIRIDIS = [[68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142], [33, 145, 140], [34, 168, 132],
  [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37]];
/** Colours of what has no value, in the light and in the dark. */
const SHADES = [
  { air: 0xf5f5f3, sheet: 0xe6e6e1, axes: 0xb9b9b3, grid: 0xd2d2cc, points: 0x111111, normals: 0x0072b2, links: 0x333333 },
  { air: 0x2b2b2a, sheet: 0x5c5c58, axes: 0x8c8c86, grid: 0x70706b, points: 0xf4f4f2, normals: 0x7cc4ef, links: 0xd8d8d4 },
];
/** Decades that the scale of a quantity shows: all that are recorded of residuals. */
function decades(quantity) {
  return quantity === "residual" ? 5 : 3;
}

function viridis(place) {
  const at = Math.min(Math.max(place, 0), 1) * 10, below = Math.min(Math.floor(at), 9), t = at - below;
  return [0, 1, 2].map((i) => (VIRIDIS[below][i] * (1 - t) + VIRIDIS[below + 1][i] * t) / 255);
}

/** Place of a value on the scale of a quantity: speeds linear, the others logarithmic. */
function place(quantity, value, top) {
  if (!(value > 0 && top > 0)) return 0;
  return quantity === "speed" ? value / top : 1 + Math.log10(value / top) / decades(quantity);
}

/** The edges of bodies: light on dark colours, dark on light ones, so that bodies at rest side by side come apart. */
function edged([r, g, b]) {
  const other = 0.3 * r + 0.59 * g + 0.11 * b < 0.45 ? 1 : 0;
  return [r, g, b].map((c) => 0.45 * c + 0.55 * other);
}

/** Frames at which a view looks for what its walls hide. */
const LOOKS = 24;
/** Opacity of walls that enclose others, and of everything if the reader sees through it. */
const CLEAR = 0.14, THROUGH = 0.35;

class CellView {
  /** `box` is that of the scene: its middle `origin`, half lengths `half` and half diagonal `size`. */
  constructor(THREE, replay, { origin, half, size }, shadows) {
    Object.assign(this, { THREE, replay, origin, half, size, shadows });
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color();
    this.scene.fog = new THREE.Fog(0, 1, 2);
    this.poses = replay.header.stage.bodies.map(() => new THREE.Matrix4());
    this.still = replay.header.stage.bodies.map((kind) => kind === "static");
    this.groups = new Map();
    this.planes = [];
    this.walls = this.enclosing();
    this.light(shadows);
    for (const solid of replay.header.stage.solids) this.add(solid);
    for (const group of this.groups.values()) this.instance(group, shadows);
    this.overlays();
    this.leave();
    this.paint(false);
  }

  /** Takes the colours of everything but the bodies, whose colours are values. */
  paint(dark) {
    const shades = SHADES[dark ? 1 : 0];
    this.scene.background.set(shades.air);
    this.scene.fog.color.set(shades.air);
    this.points.material.color.set(shades.points);
    this.rims.material.color.set(shades.air);
    this.normals.material.color.set(shades.normals);
    this.links.material.color.set(shades.links);
    for (const { ground } of this.planes) {
      const [sheet, light, black] = ground.children;
      sheet.material.color.set(shades.sheet);
      light.visible = !dark;
      black.visible = dark;
    }
  }

  light(shadows) {
    const { THREE, size } = this;
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb9b5ad, 2.3));
    const sun = new THREE.DirectionalLight(0xffffff, 1.9);
    const view = this.replay.header.view;
    const middle = [0, 1, 2].map((i) => (view[0][i] + view[1][i]) / 2 - this.origin[i]);
    sun.target.position.set(...middle);
    sun.position.set(middle[0] + 0.9 * size, middle[1] + 1.8 * size, middle[2] + 1.1 * size);
    if (shadows) {
      sun.castShadow = true;
      sun.shadow.mapSize.set(2048, 2048);
      const reach = 1.3 * size;
      Object.assign(sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * size, far: 6 * size });
      sun.shadow.normalBias = 0.004 * size;
    }
    this.scene.add(sun, sun.target);
  }

  add(solid) {
    const { THREE } = this;
    const local = new THREE.Matrix4().compose(new THREE.Vector3(...solid.position),
      new THREE.Quaternion(...solid.orientation), new THREE.Vector3(1, 1, 1));
    if (solid.form.kind === "plane") return this.plane(solid, local);
    const model_ = model(THREE, solid.form);
    if (!model_) return;
    const wall = this.walls[solid.body], key = wall ? `wall ${model_.key}` : model_.key;
    if (!this.groups.has(key)) this.groups.set(key, { ...model_, wall, solids: [] });
    local.scale(new THREE.Vector3(...model_.scale));
    this.groups.get(key).solids.push({ body: solid.body, local });
  }

  /** True for the bodies that nothing pushes and in whose box the centre of one that is pushed lies: drums and rooms. */
  enclosing() {
    const { THREE, replay: { header, frames } } = this, kinds = header.stage.bodies;
    const around = boxes(THREE, header.stage), inside = new THREE.Vector3(), inverse = new THREE.Matrix4();
    const walls = kinds.map(() => false), step = Math.max(1, Math.ceil(frames.length / LOOKS));
    for (let index = 0; index < frames.length; index += step) {
      this.pose(frames[index]);
      kinds.forEach((kind, wall) => {
        if (kind === "dynamic" || walls[wall] || !around[wall]) return;
        inverse.copy(this.poses[wall]).invert();
        walls[wall] = kinds.some((other, body) => other === "dynamic"
          && around[wall].containsPoint(inside.setFromMatrixPosition(this.poses[body]).applyMatrix4(inverse)));
      });
    }
    return walls;
  }

  plane(solid, local) {
    const { THREE, size } = this;
    const up = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...solid.form.normal));
    const ground = new THREE.Group();
    const sheet = new THREE.Mesh(new THREE.PlaneGeometry(14 * size, 14 * size).rotateX(-Math.PI / 2),
      new THREE.MeshLambertMaterial({ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }));
    sheet.receiveShadow = true;
    const cell = Math.pow(10, Math.round(Math.log10(size / 2)));
    const lines = Math.min(120, 2 * Math.ceil(7 * size / cell));
    ground.add(sheet, ...SHADES.map(({ axes, grid }) => new THREE.GridHelper(lines * cell, lines, axes, grid)));
    ground.matrixAutoUpdate = false;
    this.scene.add(ground);
    const turn = new THREE.Matrix4().makeRotationFromQuaternion(up);
    this.planes.push({ body: solid.body, local: local.multiply(turn), ground });
  }

  instance(group, shadows) {
    const { THREE } = this;
    // behind its edges
    const material = new THREE.MeshLambertMaterial({ vertexColors: true, side: group.double ? THREE.DoubleSide : THREE.FrontSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    const geometry = group.make();
    const mesh = new THREE.InstancedMesh(geometry, material, group.solids.length);
    mesh.frustumCulled = false;
    mesh.receiveShadow = shadows;
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * group.solids.length), 3);
    group.mesh = mesh;
    this.scene.add(mesh);
    if (!group.edged) return;
    // lines that are drawn as instances: the library has meshes of them alone
    const edges = new THREE.InstancedMesh(new THREE.EdgesGeometry(geometry, 30), new THREE.LineBasicMaterial(), group.solids.length);
    Object.assign(edges, { isMesh: false, isLine: true, isLineSegments: true, frustumCulled: false, instanceMatrix: mesh.instanceMatrix });
    edges.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * group.solids.length), 3);
    group.edges = edges;
    this.scene.add(edges);
  }

  /** Contact points, normals, impulses and joints: drawn over the bodies, as they lie between them. */
  overlays() {
    const { THREE, size } = this;
    const most = Math.max(1, ...this.replay.frames.map((frame) => frame.contacts.count));
    const over = (colour) => new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true });
    const many = (geometry, colour, order) => {
      const mesh = new THREE.InstancedMesh(geometry, over(colour), most);
      mesh.frustumCulled = false;
      mesh.renderOrder = order;
      this.scene.add(mesh);
      return mesh;
    };
    // a rim in the colour of the air: points are seen on bodies of any colour
    this.rims = many(new THREE.SphereGeometry(1.6, 10, 8), 0, 2.5);
    this.points = many(new THREE.SphereGeometry(1, 10, 8), 0, 3);
    this.rims.instanceMatrix = this.points.instanceMatrix;
    this.shafts = many(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0), 0xd55e00, 4);
    this.heads = many(new THREE.ConeGeometry(1, 1, 12).translate(0, -0.5, 0), 0xd55e00, 4);
    const lines = (count, colour, order) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * count), 3));
      const material = new THREE.LineBasicMaterial({ color: colour, depthTest: false, transparent: true });
      const object = new THREE.LineSegments(geometry, material);
      object.frustumCulled = false;
      object.renderOrder = order;
      this.scene.add(object);
      return object;
    };
    this.normals = lines(2 * most, 0, 3);
    this.links = lines(6 * this.replay.header.stage.links.length, 0, 2);
    this.mark = 0.0045 * size;
  }

  /** The last recorded frame that is not after a time. */
  at(time) {
    const times = this.replay.header.times;
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time + 1e-9) low = middle; else high = middle - 1;
    }
    return low;
  }

  show(index, options) {
    this.index = index;
    const frame = this.replay.frames[index];
    this.pose(frame);
    const [colours, lines] = this.colours(frame, options);
    const matrix = new this.THREE.Matrix4();
    for (const { mesh, edges, solids, wall, double } of this.groups.values()) {
      solids.forEach(({ body, local }, i) => {
        mesh.setMatrixAt(i, matrix.multiplyMatrices(this.poses[body], local));
        mesh.setColorAt(i, colours[body]);
        edges?.setColorAt(i, lines[body]);
      });
      if (edges) edges.instanceColor.needsUpdate = true;
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
      const isClear = wall && !options.walls;
      for (const { material } of edges ? [mesh, edges] : [mesh]) {
        material.transparent = isClear || options.through;
        material.opacity = isClear ? CLEAR : options.through ? THROUGH : 1;
        material.depthWrite = !material.transparent;
      }
      mesh.castShadow = this.shadows && !isClear && !double;
    }
    for (const { body, local, ground } of this.planes) ground.matrix.multiplyMatrices(this.poses[body], local);
    this.touch(frame.contacts, options);
    this.tie(options);
  }

  where(codes, at, out) {
    const { low, step } = this.replay.header.grid;
    for (let i = 0; i < 3; i++) out[i] = low[i] - this.origin[i] + step[i] * codes[at + i];
    return out;
  }

  pose(frame) {
    const { THREE } = this, p = [0, 0, 0], q = [0, 0, 0, 1], one = new THREE.Vector3(1, 1, 1);
    this.poses.forEach((pose, body) => {
      this.where(frame.places, 3 * body, p);
      orientation(frame.turns, 3 * body, q);
      pose.compose(new THREE.Vector3(...p), new THREE.Quaternion(...q), one);
    });
  }

  /** True if a body has left the box of the scene by more than the half diagonal of the box. */
  isOut(frame, body) {
    const p = this.where(frame.places, 3 * body, [0, 0, 0]);
    return p.some((x, i) => Math.abs(x) > this.half[i] + this.size);
  }

  /** How many moving bodies are out of view at every frame, and since when. */
  leave() {
    const { times } = this.replay.header;
    this.moving = this.still.filter((still) => !still).length;
    this.gone = this.replay.frames.map((frame) => this.still.filter((still, body) => !still && this.isOut(frame, body)).length);
    this.since = [];
    this.gone.forEach((gone, i) => this.since.push(gone === 0 ? null : this.since[i - 1] ?? times[i]));
  }

  /** What is said of the bodies that are out of view. */
  left(index) {
    const gone = this.gone[index];
    if (!gone) return "";
    const bodies = this.moving === 1 ? "" : `${gone} of ${this.moving} bodies `;
    return ` · ${bodies}out of view since ${this.since[index].toFixed(3)} s`;
  }

  /** What a body is coloured by, at this frame. */
  values(frame, quantity) {
    const { header } = this.replay;
    if (quantity === "speed") return Array.from(frame.speeds, (code) => magnitude(header.speed, code));
    if (quantity === "residual") return Array.from(frame.residuals, (code) => magnitude(header.residual, code));
    const values = new Float64Array(this.poses.length), { contacts } = frame;
    for (let i = 0; i < contacts.count; i++) {
      for (let side = 0; side < 2; side++) {
        const body = contacts.bodies[2 * i + side];
        if (quantity === "impulse") values[body] += magnitude(header.impulse, contacts.bytes[6 * i + 2]);
        else values[body] = Math.max(values[body], magnitude(header.depth, contacts.bytes[6 * i + 5]));
      }
    }
    return values;
  }

  /**
   * The end of the scale: the largest value of a moving body in view over all frames. Of speeds, which have a linear
   * scale, 98 % are below: one body that flies away does not take the colours of all others.
   */
  top(quantity) {
    const all = [];
    for (const frame of this.replay.frames) {
      this.values(frame, quantity).forEach((value, body) => { if (!this.still[body] && value > 0 && !this.isOut(frame, body)) all.push(value); });
    }
    all.sort((a, b) => a - b);
    const share = quantity === "speed" ? 0.98 : 1;
    return all.length ? all[Math.min(all.length - 1, Math.floor(share * all.length))] : 0;
  }

  /** Colours of the bodies and of their edges. */
  colours(frame, { quantity, top }) {
    const { THREE } = this, values = this.values(frame, quantity);
    const all = this.poses.map((_, body) => (this.still[body] ? [0.69, 0.69, 0.675] : viridis(place(quantity, values[body], top))));
    const colour = (rgb) => new THREE.Color().setRGB(...rgb, THREE.SRGBColorSpace);
    return [all.map(colour), all.map((rgb) => colour(edged(rgb)))];
  }

  touch(contacts, options) {
    const { THREE, size } = this, p = [0, 0, 0], d = [0, 0, 0];
    const up = new THREE.Vector3(0, 1, 0), turn = new THREE.Quaternion(), matrix = new THREE.Matrix4();
    const line = this.normals.geometry.attributes.position;
    let arrows = 0;
    for (let i = 0; i < contacts.count; i++) {
      this.where(contacts.places, 3 * i, p);
      const at = new THREE.Vector3(...p);
      this.points.setMatrixAt(i, matrix.makeScale(this.mark, this.mark, this.mark).setPosition(at));
      const normal = new THREE.Vector3(...direction(contacts.bytes, 6 * i, d)).multiplyScalar(0.06 * size).add(at);
      line.setXYZ(2 * i, at.x, at.y, at.z);
      line.setXYZ(2 * i + 1, normal.x, normal.y, normal.z);
      const impulse = magnitude(this.replay.header.impulse, contacts.bytes[6 * i + 2]);
      const length = options.arrow * size * Math.min(impulse / options.strongest, 1);
      if (!(length > 0.002 * size)) continue;
      const along = new THREE.Vector3(...direction(contacts.bytes, 6 * i + 3, d));
      turn.setFromUnitVectors(up, along);
      const head = Math.min(0.03 * size, 0.4 * length), thick = Math.min(0.0035 * size, 0.2 * head);
      this.shafts.setMatrixAt(arrows, matrix.compose(at, turn, new THREE.Vector3(thick, length - head, thick)));
      const tip = along.multiplyScalar(length).add(at);
      this.heads.setMatrixAt(arrows, matrix.compose(tip, turn, new THREE.Vector3(0.32 * head, head, 0.32 * head)));
      arrows++;
    }
    for (const [mesh, count, shown] of [[this.rims, contacts.count, options.points], [this.points, contacts.count, options.points],
      [this.shafts, arrows, options.impulses],
      [this.heads, arrows, options.impulses]]) {
      mesh.count = count;
      mesh.visible = shown && count > 0;
      mesh.instanceMatrix.needsUpdate = true;
    }
    line.needsUpdate = true;
    this.normals.geometry.setDrawRange(0, 2 * contacts.count);
    this.normals.visible = options.normals;
  }

  tie(options) {
    const { THREE } = this, at = this.links.geometry.attributes.position;
    this.replay.header.stage.links.forEach(({ bodies, anchors }, i) => {
      const poses = bodies.map((body) => this.poses[body]);
      const centres = poses.map((pose) => new THREE.Vector3().setFromMatrixPosition(pose));
      const ends = poses.map((pose, side) => new THREE.Vector3(...anchors[side]).applyMatrix4(pose));
      // from the centre of a body to its anchor; what is static has no centre that a joint acts on
      const from = bodies.map((body, side) => this.still[body] ? ends[side] : centres[side]);
      [from[0], ends[0], ends[0], ends[1], ends[1], from[1]].forEach((p, k) => at.setXYZ(6 * i + k, p.x, p.y, p.z));
    });
    at.needsUpdate = true;
    this.links.visible = options.links;
  }
}
