'use strict';
// Draws the scene with WebGL2: triangles, tubes of ropes, spheres and colliders, with a shadow map.

// ---- small matrices and vectors (column-major, as WebGL has them) ----
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = a => Math.hypot(a[0], a[1], a[2]);
const unit = a => scale(a, 1 / (length(a) || 1));

function multiply(a, b) {
  const m = new Float32Array(16);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 4; r++) {
    let s = 0;
    for (let k = 0; k < 4; k++) s += a[4 * k + r] * b[4 * c + k];
    m[4 * c + r] = s;
  }
  return m;
}

function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}

function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
}

function orthographic(half, near, far) {
  const d = near - far;
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 / d, 0, 0, 0, (far + near) / d, 1]);
}

function poseMatrix(p, at) {
  const [x, y, z, w] = [p[at + 3], p[at + 4], p[at + 5], p[at + 6]];
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
    p[at], p[at + 1], p[at + 2], 1]);
}

// ---- shaders ----
const COMMON = `#version 300 es
precision highp float;
uniform mat4 view_projection;
uniform mat4 light;
`;

// Light that all surfaces share: sun with soft shadow, sky and ground, tone mapping.
const SHADE = `
uniform highp sampler2DShadow shadow_map;
uniform vec3 sun;
uniform vec3 eye;
float lit(vec3 at, vec3 normal) {
  vec4 p = light * vec4(at + normal * SHADOW_OFFSET, 1.0);
  vec3 q = p.xyz / p.w * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(shadow_map, vec3(q.xy + vec2(i, j) * 1.2 / 2048.0, q.z - 0.0015));
  return sum / 9.0;
}
vec3 shade(vec3 color, vec3 at, vec3 normal) {
  vec3 base = pow(color, vec3(2.2));
  vec3 view = normalize(eye - at);
  float up = 0.5 + 0.5 * normal.y;
  vec3 ambient = mix(vec3(0.26, 0.24, 0.22), vec3(0.52, 0.60, 0.70), up);
  float d = max(dot(normal, sun), 0.0);
  float s = d > 0.0 ? lit(at, normal) : 0.0;
  float gloss = pow(max(dot(normal, normalize(sun + view)), 0.0), 48.0) * 0.18;
  vec3 c = base * (ambient + vec3(1.35, 1.26, 1.12) * d * s) + gloss * s;
  c = c / (1.0 + 0.28 * c);
  return pow(c, vec3(1.0 / 2.2));
}
`;

const MESH_VERTEX = COMMON + `
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
uniform mat4 model;
out vec3 at; out vec3 n; out vec3 c;
void main() {
  vec4 world = model * vec4(position, 1.0);
  at = world.xyz; n = mat3(model) * normal; c = color;
  gl_Position = view_projection * world;
}`;
const MESH_FRAGMENT = COMMON + SHADE + `
in vec3 at; in vec3 n; in vec3 c;
out vec4 result;
void main() {
  vec3 normal = normalize(n);
  if (dot(normal, eye - at) < 0.0) normal = -normal;
  result = vec4(shade(c, at, normal), 1.0);
}`;

// A sphere is a square that faces the eye; its fragments find the surface.
const SPHERE_VERTEX = COMMON + `
layout(location = 0) in vec2 corner;
layout(location = 3) in vec3 center;
layout(location = 4) in float radius;
layout(location = 5) in vec3 color;
uniform vec3 toward;
uniform vec3 viewpoint;
uniform bool parallel_rays;
out vec3 at; flat out vec3 middle; flat out float r; flat out vec3 c;
void main() {
  vec3 z = parallel_rays ? toward : normalize(viewpoint - center);
  vec3 x = normalize(cross(abs(z.y) < 0.99 ? vec3(0, 1, 0) : vec3(1, 0, 0), z));
  vec3 y = cross(z, x);
  float d = parallel_rays ? 1e9 : length(viewpoint - center);
  // The outline of a near sphere is larger than its radius.
  float grow = d > 1.001 * radius ? d / sqrt(d * d - radius * radius) : 2.0;
  if (parallel_rays) grow = 1.0;
  at = center + (x * corner.x + y * corner.y) * radius * grow;
  middle = center; r = radius; c = color;
  gl_Position = radius > 0.0 ? view_projection * vec4(at, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}`;
const SPHERE_SURFACE = `
in vec3 at; flat in vec3 middle; flat in float r; flat in vec3 c;
uniform vec3 toward;
uniform vec3 viewpoint;
uniform bool parallel_rays;
vec3 surface() {
  vec3 d = parallel_rays ? -toward : normalize(at - viewpoint);
  vec3 o = (parallel_rays ? at + toward * 2.0 * r : viewpoint) - middle;
  float b = dot(o, d), q = b * b - dot(o, o) + r * r;
  if (q < 0.0) discard;
  vec3 p = middle + o + d * (-b - sqrt(q));
  vec4 clip = view_projection * vec4(p, 1.0);
  gl_FragDepth = clip.z / clip.w * 0.5 + 0.5;
  return p;
}
`;
const SPHERE_FRAGMENT = COMMON + SHADE + SPHERE_SURFACE + `
out vec4 result;
void main() { vec3 p = surface(); result = vec4(shade(c, p, (p - middle) / r), 1.0); }`;
const SPHERE_DEPTH = COMMON + SPHERE_SURFACE + 'void main() { surface(); }';

// A segment of a rope: a cylinder between two points.
const TUBE_VERTEX = COMMON + `
layout(location = 0) in vec3 position;
layout(location = 3) in vec3 a;
layout(location = 4) in vec3 b;
layout(location = 5) in float radius;
layout(location = 6) in vec3 color;
out vec3 at; out vec3 n; out vec3 c;
void main() {
  vec3 along = b - a;
  float l = length(along);
  vec3 y = l > 0.0 ? along / l : vec3(0, 1, 0);
  vec3 x = normalize(cross(abs(y.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0), y));
  vec3 z = cross(x, y);
  n = x * position.x + z * position.z;
  at = a + along * position.y + n * radius; c = color;
  gl_Position = view_projection * vec4(at, 1.0);
}`;
const DEPTH_FRAGMENT = COMMON + 'void main() {}';

const GROUND_VERTEX = COMMON + `
layout(location = 0) in vec2 corner;
uniform vec3 middle; uniform float reach;
out vec3 at;
void main() {
  at = middle + vec3(corner.x, 0.0, corner.y) * reach;
  gl_Position = view_projection * vec4(at, 1.0);
}`;
const GROUND_FRAGMENT = COMMON + SHADE + `
in vec3 at;
uniform vec3 middle; uniform float reach; uniform float spacing;
out vec4 result;
void main() {
  vec2 cell = floor(at.xz / spacing), w = fwidth(at.xz / spacing);
  float even = mod(cell.x + cell.y, 2.0), far = clamp(max(w.x, w.y) * 1.5, 0.0, 1.0);
  vec3 color = mix(mix(vec3(0.74, 0.76, 0.79), vec3(0.82, 0.84, 0.86), even), vec3(0.78, 0.80, 0.825), far);
  float fade = smoothstep(0.25, 0.95, distance(at.xz, middle.xz) / reach);
  result = vec4(shade(color, at, vec3(0, 1, 0)), 1.0 - fade);
}`;

const PALETTE = [[0.80, 0.36, 0.28], [0.25, 0.49, 0.72], [0.90, 0.68, 0.28], [0.36, 0.62, 0.42], [0.58, 0.42, 0.66], [0.30, 0.64, 0.66], [0.78, 0.50, 0.60], [0.50, 0.52, 0.34]];
const COLLIDER = [0.60, 0.63, 0.67];

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext('webgl2', { antialias: true, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error('This browser has no WebGL2.');
    this.programs = {};
    // Uniforms must be declared before their use.
    const fragment = text => text.replace('uniform highp sampler2DShadow shadow_map;', 'uniform highp sampler2DShadow shadow_map; uniform float shadow_offset;').replace('SHADOW_OFFSET', 'shadow_offset');
    this.programs.mesh = this.program(MESH_VERTEX, fragment(MESH_FRAGMENT));
    this.programs.sphere = this.program(SPHERE_VERTEX, fragment(SPHERE_FRAGMENT));
    this.programs.tube = this.program(TUBE_VERTEX, fragment(MESH_FRAGMENT));
    this.programs.ground = this.program(GROUND_VERTEX, fragment(GROUND_FRAGMENT));
    this.programs.mesh_depth = this.program(MESH_VERTEX, DEPTH_FRAGMENT);
    this.programs.sphere_depth = this.program(SPHERE_VERTEX, SPHERE_DEPTH);
    this.programs.tube_depth = this.program(TUBE_VERTEX, DEPTH_FRAGMENT);
    this.makeShadowMap();
    this.square = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.makeCylinder();
    this.scene = null;
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const { name } = gl.getActiveUniform(program, k);
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  buffer(data, target, usage) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(target || gl.ARRAY_BUFFER, buffer);
    gl.bufferData(target || gl.ARRAY_BUFFER, data, usage || gl.STATIC_DRAW);
    return buffer;
  }

  makeShadowMap() {
    const gl = this.gl;
    this.shadow = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 2048, 2048);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadow, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  makeCylinder() {
    const points = [], indices = [], around = 12;
    for (let k = 0; k <= around; k++) {
      const angle = 2 * Math.PI * k / around;
      for (const y of [0, 1]) points.push(Math.cos(angle), y, Math.sin(angle));
      if (k < around) indices.push(2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2);
    }
    this.cylinder = { points: this.buffer(new Float32Array(points)), indices: this.buffer(new Uint16Array(indices), this.gl.ELEMENT_ARRAY_BUFFER), count: indices.length };
  }

  // Takes the geometry message; `scene` is the description.
  setGeometry(scene, bytes) {
    const gl = this.gl, words = new Uint32Array(bytes), floats = new Float32Array(bytes);
    if (this.scene) this.free(this.scene);
    let at = 8;
    const take = count => words.subarray(at, at += count);
    const [, version, points, triangles, lines, spheres, chunks, colliders] = words;
    const s = this.scene = { version, description: scene, points, ground: scene.ground };
    s.triangles = take(3 * triangles); s.lines = take(2 * lines); s.spheres = take(spheres);
    s.chunks = take(3 * chunks); s.radii = floats.subarray(at, at += points);
    s.positions = new Float32Array(3 * points); s.previous = new Float32Array(3 * points);
    s.hidden = new Uint8Array(points); s.objects = new Uint32Array(points);
    s.speeds = new Float32Array(points); s.time = null;
    for (let k = 0; k < chunks; k++) s.objects.fill(s.chunks[3 * k + 2], s.chunks[3 * k], s.chunks[3 * k] + s.chunks[3 * k + 1]);
    s.colliders = [];
    for (let k = 0; k < colliders; k++) {
      const [v, t] = take(2), p = floats.subarray(at, at += 3 * v), i = take(3 * t);
      s.colliders.push(t ? this.mesh(p, i, COLLIDER) : null);
    }
    s.normals = new Float32Array(3 * points); s.colors = new Float32Array(3 * points);
    s.index = this.buffer(s.triangles, gl.ELEMENT_ARRAY_BUFFER);
    for (const name of ['position', 'normal', 'color', 'ball', 'tube']) s[name + 'Buffer'] = gl.createBuffer();
    s.ballData = new Float32Array(7 * (spheres + 2 * lines)); s.tubeData = new Float32Array(10 * lines);
    s.poses = new Float32Array(7 * colliders);
    s.dirty = true;
  }

  free(s) {
    for (const name of ['index', 'positionBuffer', 'normalBuffer', 'colorBuffer', 'ballBuffer', 'tubeBuffer']) this.gl.deleteBuffer(s[name]);
    for (const c of s.colliders) if (c) for (const b of [c.positions, c.normals, c.colors, c.index]) this.gl.deleteBuffer(b);
  }

  // A mesh that only moves as a whole.
  mesh(positions, indices, color) {
    const normals = new Float32Array(positions.length), colors = new Float32Array(positions.length);
    addNormals(positions, indices, normals);
    for (let k = 0; k < colors.length; k++) colors[k] = color[k % 3];
    return { positions: this.buffer(positions), normals: this.buffer(normals), colors: this.buffer(colors), index: this.buffer(indices, this.gl.ELEMENT_ARRAY_BUFFER), count: indices.length };
  }

  // Takes a frame message.
  setFrame(bytes) {
    const s = this.scene, view = new DataView(bytes);
    if (!s || view.getUint32(4, true) !== s.version) return null;
    const frame = { number: view.getUint32(8, true), playing: view.getUint32(12, true) === 1, time: view.getFloat64(16, true) };
    const chunks = view.getUint32(24, true), poses = view.getUint32(28, true);
    const dt = s.time === null ? 0 : frame.time - s.time;
    if (dt !== 0) { s.previous.set(s.positions); s.speeds.fill(0); }
    let at = 32;
    for (let k = 0; k < chunks; k++) {
      const number = view.getUint32(at, true), head = new Float32Array(bytes, at + 4, 6);
      const start = s.chunks[3 * number], count = s.chunks[3 * number + 1];
      const q = new Uint16Array(bytes, at + 28, 3 * count);
      at += 28 + (6 * count + 3 & ~3);
      const [sx, sy, sz] = [head[3] / 65534, head[4] / 65534, head[5] / 65534], p = s.positions;
      for (let i = 0; i < count; i++) {
        const j = 3 * (start + i);
        s.hidden[start + i] = q[3 * i] === 65535 ? 1 : 0;
        p[j] = head[0] + q[3 * i] * sx; p[j + 1] = head[1] + q[3 * i + 1] * sy; p[j + 2] = head[2] + q[3 * i + 2] * sz;
      }
      if (dt > 0) for (let i = start; i < start + count; i++) {
        const j = 3 * i, o = s.previous;
        s.speeds[i] = Math.hypot(p[j] - o[j], p[j + 1] - o[j + 1], p[j + 2] - o[j + 2]) / dt;
      }
    }
    s.poses = new Float32Array(bytes, at, 7 * poses);
    s.time = frame.time; s.dirty = true;
    return frame;
  }

  objectColor(k) {
    return this.scene.description.objects[k].color || PALETTE[k % PALETTE.length];
  }

  update(mode) {
    const s = this.scene, gl = this.gl, dynamic = gl.DYNAMIC_DRAW;
    s.dirty = false;
    const size = length(sub(s.description.high, s.description.low)), full = Math.sqrt(2 * 9.81 * size);
    const color = [0, 0, 0];
    for (let i = 0, last = -1; i < s.points; i++) {
      if (mode === 'speed') {
        const t = Math.min(1, s.speeds[i] / full);
        color[0] = Math.min(1, 0.12 + 1.6 * t); color[1] = 0.25 + 0.5 * t * (1 - t) + 0.45 * t * t; color[2] = 0.62 * (1 - t) + 0.25 * t;
      } else if (s.objects[i] !== last) {
        last = s.objects[i]; const c = this.objectColor(last); color[0] = c[0]; color[1] = c[1]; color[2] = c[2];
      }
      s.colors.set(color, 3 * i);
    }
    if (s.triangles.length) {
      s.normals.fill(0);
      addNormals(s.positions, s.triangles, s.normals);
      for (const [name, data] of [['position', s.positions], ['normal', s.normals], ['color', s.colors]]) {
        gl.bindBuffer(gl.ARRAY_BUFFER, s[name + 'Buffer']);
        gl.bufferData(gl.ARRAY_BUFFER, data, dynamic);
      }
    }
    let balls = 0, tubes = 0;
    const ball = i => {
      if (s.hidden[i]) return;
      s.ballData.set([s.positions[3 * i], s.positions[3 * i + 1], s.positions[3 * i + 2], s.radii[i], s.colors[3 * i], s.colors[3 * i + 1], s.colors[3 * i + 2]], 7 * balls++);
    };
    for (let k = 0; k < s.spheres.length; k++) ball(s.spheres[k]);
    for (let k = 0; k < s.lines.length; k += 2) {
      const i = s.lines[k], j = s.lines[k + 1], p = s.positions;
      ball(i); ball(j);
      s.tubeData.set([p[3 * i], p[3 * i + 1], p[3 * i + 2], p[3 * j], p[3 * j + 1], p[3 * j + 2], s.radii[i], s.colors[3 * i], s.colors[3 * i + 1], s.colors[3 * i + 2]], 10 * tubes++);
    }
    s.balls = balls; s.tubes = tubes;
    gl.bindBuffer(gl.ARRAY_BUFFER, s.ballBuffer); gl.bufferData(gl.ARRAY_BUFFER, s.ballData.subarray(0, 7 * balls), dynamic);
    gl.bindBuffer(gl.ARRAY_BUFFER, s.tubeBuffer); gl.bufferData(gl.ARRAY_BUFFER, s.tubeData.subarray(0, 10 * tubes), dynamic);
  }

  attributes(list) {
    const gl = this.gl;
    for (let k = 0; k < 7; k++) { gl.disableVertexAttribArray(k); gl.vertexAttribDivisor(k, 0); }
    for (const [buffer, location, size, stride, offset, divisor] of list) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 4 * (stride || 0), 4 * (offset || 0));
      gl.vertexAttribDivisor(location, divisor || 0);
    }
  }

  use(name, common) {
    const gl = this.gl, { program, uniforms } = this.programs[name];
    gl.useProgram(program);
    const set = { mat4: (u, v) => gl.uniformMatrix4fv(u, false, v), vec3: (u, v) => gl.uniform3fv(u, v), float: (u, v) => gl.uniform1f(u, v), int: (u, v) => gl.uniform1i(u, v) };
    for (const [key, [kind, value]] of Object.entries(common)) if (uniforms[key]) set[kind](uniforms[key], value);
    return uniforms;
  }

  // All objects, in color or only their depth.
  objects(common, depth) {
    const gl = this.gl, s = this.scene, suffix = depth ? '_depth' : '';
    const identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    let u = this.use('mesh' + suffix, common);
    if (s.triangles.length) {
      gl.uniformMatrix4fv(u.model, false, identity);
      this.attributes([[s.positionBuffer, 0, 3], [s.normalBuffer, 1, 3], [s.colorBuffer, 2, 3]]);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, s.index);
      gl.drawElements(gl.TRIANGLES, s.triangles.length, gl.UNSIGNED_INT, 0);
    }
    s.colliders.forEach((c, k) => {
      if (!c || 7 * k + 7 > s.poses.length) return;
      gl.uniformMatrix4fv(u.model, false, poseMatrix(s.poses, 7 * k));
      this.attributes([[c.positions, 0, 3], [c.normals, 1, 3], [c.colors, 2, 3]]);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, c.index);
      gl.drawElements(gl.TRIANGLES, c.count, gl.UNSIGNED_INT, 0);
    });
    if (s.tubes) {
      this.use('tube' + suffix, common);
      this.attributes([[this.cylinder.points, 0, 3], [s.tubeBuffer, 3, 3, 10, 0, 1], [s.tubeBuffer, 4, 3, 10, 3, 1], [s.tubeBuffer, 5, 1, 10, 6, 1], [s.tubeBuffer, 6, 3, 10, 7, 1]]);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.cylinder.indices);
      gl.drawElementsInstanced(gl.TRIANGLES, this.cylinder.count, gl.UNSIGNED_SHORT, 0, s.tubes);
    }
    if (s.balls) {
      this.use('sphere' + suffix, common);
      this.attributes([[this.square, 0, 2], [s.ballBuffer, 3, 3, 7, 0, 1], [s.ballBuffer, 4, 1, 7, 3, 1], [s.ballBuffer, 5, 3, 7, 4, 1]]);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, s.balls);
    }
  }

  // Draws the scene as seen by a camera { eye, target, fov }.
  draw(camera, mode) {
    const gl = this.gl, s = this.scene;
    const dense = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.max(1, Math.round(this.canvas.clientWidth * dense)), Math.max(1, Math.round(this.canvas.clientHeight * dense))];
    if (this.canvas.width !== w || this.canvas.height !== h) { this.canvas.width = w; this.canvas.height = h; }
    gl.clearColor(0.70, 0.76, 0.83, 1);
    if (!s) { gl.bindFramebuffer(gl.FRAMEBUFFER, null); gl.clear(gl.COLOR_BUFFER_BIT); return; }
    if (s.dirty || mode !== s.mode) { s.mode = mode; this.update(mode); }
    const low = s.description.low, high = s.description.high, size = length(sub(high, low));
    const center = scale(add(low, high), 0.5), sun = unit([0.45, 0.85, 0.35]);
    const light = multiply(orthographic(0.85 * size, 0.1 * size, 4 * size), lookAt(add(center, scale(sun, 2 * size)), center, [0, 0, 1]));
    const texel = 1.7 * size / 2048;
    gl.enable(gl.DEPTH_TEST);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, 2048, 2048);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const shared = { light: ['mat4', light], sun: ['vec3', sun], eye: ['vec3', camera.eye], shadow_map: ['int', 0], shadow_offset: ['float', 2 * texel] };
    this.objects({ ...shared, view_projection: ['mat4', light], parallel_rays: ['int', 1], toward: ['vec3', sun], viewpoint: ['vec3', camera.eye] }, true);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, w, h);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow);
    const distance = length(sub(camera.eye, camera.target)), near = Math.max(1e-3 * size, 0.02 * distance);
    const projection = perspective(camera.fov, w / h, near, distance + 12 * size);
    const common = { ...shared, view_projection: ['mat4', multiply(projection, lookAt(camera.eye, camera.target, [0, 1, 0]))], parallel_rays: ['int', 0], toward: ['vec3', sun], viewpoint: ['vec3', camera.eye] };
    this.objects(common, false);
    if (s.ground !== null) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      const wanted = 0.12 * size, power = 10 ** Math.floor(Math.log10(wanted));
      const spacing = [1, 2, 5, 10].map(k => k * power).find(k => k >= wanted) || wanted;
      this.spacing = spacing;
      this.use('ground', { ...common, middle: ['vec3', [center[0], s.ground, center[2]]], reach: ['float', 6 * size], spacing: ['float', spacing] });
      this.attributes([[this.square, 0, 2]]);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.disable(gl.BLEND);
    }
  }
}

// Adds the normals of triangles, weighted by area, to their vertices.
function addNormals(p, triangles, normals) {
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    for (const k of [a, b, c]) { normals[k] += x; normals[k + 1] += y; normals[k + 2] += z; }
  }
}
