// The page: connection, camera, pointer, controls, and playing a recording.

const element = id => document.getElementById(id);
const canvas = element('view');
const camera = { eye: [3, 2, 4], target: [0, 0.5, 0], fov: 0.7 };
let renderer, socket = null, scene = null, status = {}, frame = null, grip = null, removing = false, redraw = true;

try { renderer = new Renderer(canvas); } catch (error) { notice(error.message, true); throw error; }

function notice(text, trouble) {
  const box = element('notice');
  box.textContent = text;
  box.hidden = !text;
  box.classList.toggle('trouble', Boolean(trouble));
}

// ---- messages ----
let noticeTimer = 0;
function takeText(text) {
  const message = JSON.parse(text);
  if (message.type === 'scene') {
    const first = !scene || scene.name !== message.name;
    scene = message;
    element('name').textContent = scene.name;
    document.title = `${scene.name} – Pliant`;
    if (first) { wholeScene(); showSetting('gravity', scene.gravity[1]); showSetting('wind', scene.wind[0]); }
  } else if (message.type === 'status') {
    status = message;
    showStatus();
  } else if (message.type === 'grabbed') {
    if (grip) { grip.point = message.point; grip.held = true; grip.object = message.object; moveGrip(); }
  } else if (message.type === 'missed') {
    if (grip) grip.missed = true;
  } else if (message.type === 'error') {
    notice(message.message, false);
    clearTimeout(noticeTimer);
    noticeTimer = setTimeout(() => notice('', false), 5000);
  }
}

function takeBinary(bytes) {
  const kind = new DataView(bytes).getUint32(0, true);
  if (kind === 1) renderer.setGeometry(scene, bytes);
  if (kind === 2) { frame = renderer.setFrame(bytes) || frame; showTime(); }
  redraw = true;
}

function send(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

let wait = 250;
function connect() {
  socket = new WebSocket(`ws://${location.host}/socket${location.search}`);
  socket.binaryType = 'arraybuffer';
  socket.onopen = () => { wait = 250; notice('', false); };
  socket.onmessage = event => typeof event.data === 'string' ? takeText(event.data) : takeBinary(event.data);
  socket.onclose = () => {
    grip = null;
    notice('Connection lost; trying again …', true);
    setTimeout(connect, wait);
    wait = Math.min(2 * wait, 4000);
  };
}

// ---- a recording inside the page ----
function decodeRecording(text) {
  const plain = atob(text), bytes = new Uint8Array(plain.length);
  for (let k = 0; k < plain.length; k++) bytes[k] = plain.charCodeAt(k);
  const view = new DataView(bytes.buffer), messages = [];
  for (let at = 0; at + 8 <= bytes.length;) {
    const size = view.getUint32(at, true), kind = view.getUint32(at + 4, true);
    const body = bytes.slice(at + 8, at + 8 + size);
    messages.push(kind === 0 ? new TextDecoder().decode(body) : body.buffer);
    at += 8 + (size + 3 & ~3);
  }
  return messages;
}

const player = { messages: [], times: [], next: 0, time: 0, end: 0, playing: true, last: 0 };
function startRecording(text) {
  document.body.classList.add('recorded');
  for (const id of ['gravity', 'wind', 'throw', 'remove', 'step']) element(id).closest('label, button').classList.add('live');
  player.messages = decodeRecording(text);
  player.times = player.messages.map(m => typeof m !== 'string' && new DataView(m).getUint32(0, true) === 2 ? new DataView(m).getFloat64(16, true) : -1);
  player.end = Math.max(0, ...player.times);
  status = { playing: true, first: 0, time: player.end };
  seek(0);
}

function seek(time) {
  if (time < player.time || player.next === 0) { player.next = 0; scene = null; }
  player.time = time;
  // Frames hold what changed: all of them up to the time are taken.
  while (player.next < player.messages.length && player.times[player.next] <= time) {
    const message = player.messages[player.next++];
    typeof message === 'string' ? takeText(message) : takeBinary(message);
  }
}

// ---- camera ----
const GOLDEN = unit([0.55, 0.32, 0.85]);
function wholeScene() {
  if (!scene) return;
  const center = scale(add(scene.low, scene.high), 0.5), size = length(sub(scene.high, scene.low));
  camera.target = scene.target || center;
  camera.eye = scene.eye || add(camera.target, scale(GOLDEN, 1.25 * size / (2 * Math.tan(camera.fov / 2)) * Math.max(1, canvas.clientHeight / canvas.clientWidth)));
  redraw = true;
}

function axes() {
  const z = unit(sub(camera.eye, camera.target)), x = unit(cross([0, 1, 0], z));
  return { x, y: cross(z, x), z };
}

function rayAt(px, py) {
  const box = canvas.getBoundingClientRect(), { x, y, z } = axes(), t = Math.tan(camera.fov / 2);
  const u = (2 * (px - box.left) / box.width - 1) * t * box.width / box.height, v = (1 - 2 * (py - box.top) / box.height) * t;
  return { origin: camera.eye, direction: unit(add(add(scale(x, u), scale(y, v)), scale(z, -1))) };
}

function orbit(dx, dy) {
  const d = sub(camera.eye, camera.target), r = length(d);
  const polar = Math.min(Math.max(Math.acos(d[1] / r) - dy * 0.006, 0.05), Math.PI - 0.05);
  const turn = Math.atan2(d[0], d[2]) - dx * 0.006;
  camera.eye = add(camera.target, [r * Math.sin(polar) * Math.sin(turn), r * Math.cos(polar), r * Math.sin(polar) * Math.cos(turn)]);
  redraw = true;
}

function pan(dx, dy) {
  const { x, y } = axes(), s = 2 * Math.tan(camera.fov / 2) * length(sub(camera.eye, camera.target)) / canvas.clientHeight;
  const by = add(scale(x, -dx * s), scale(y, dy * s));
  camera.eye = add(camera.eye, by); camera.target = add(camera.target, by);
  redraw = true;
}

function zoom(factor) {
  camera.eye = add(camera.target, scale(sub(camera.eye, camera.target), Math.min(Math.max(factor, 0.2), 5)));
  redraw = true;
}

// ---- pointer ----
const pointers = new Map();
let pointer = { x: 0, y: 0 };

// The gripped point follows the pointer in the plane through it that faces the eye.
function moveGrip() {
  if (!grip || !grip.held) return;
  const { z } = axes(), ray = rayAt(pointer.x, pointer.y);
  const depth = dot(sub(grip.point, ray.origin), z) / dot(ray.direction, z);
  send({ do: 'move', target: add(ray.origin, scale(ray.direction, depth)) });
}

canvas.addEventListener('pointerdown', event => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, button: event.button });
  pointer = { x: event.clientX, y: event.clientY };
  if (pointers.size > 1) { endGrip(); return; }
  if (event.button === 0 && socket) {
    const ray = rayAt(event.clientX, event.clientY);
    if (removing) { send({ do: 'remove', ray }); setRemoving(false); return; }
    grip = { held: false, missed: false };
    send({ do: 'grab', ray });
  }
});

canvas.addEventListener('pointermove', event => {
  pointer = { x: event.clientX, y: event.clientY };
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
  if (pointers.size === 2) {
    const [a, b] = [...pointers.values()], other = last === a ? b : a;
    const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    if (after > 0) zoom(before / after);
    pan(dx / 2, dy / 2);
  } else if (last.button === 1 || last.button === 2 || event.shiftKey) pan(dx, dy);
  else if (grip && grip.held) moveGrip();
  else if (!grip || grip.missed) orbit(dx, dy);
  else return; // The answer to the grab is on its way.
  last.x = event.clientX; last.y = event.clientY;
});

function endGrip() {
  if (grip) send({ do: 'release' });
  grip = null;
}

for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, event => {
  pointers.delete(event.pointerId);
  endGrip();
});
canvas.addEventListener('contextmenu', event => event.preventDefault());
canvas.addEventListener('wheel', event => { event.preventDefault(); zoom(Math.exp(event.deltaY * 0.0012)); }, { passive: false });
canvas.addEventListener('dblclick', event => {
  // The nearest drawn point to the ray becomes the target.
  const ray = rayAt(event.clientX, event.clientY), s = renderer.scene;
  if (!s) return;
  let best = Infinity, found = null;
  for (let i = 0; i < s.points; i++) {
    if (s.hidden[i]) continue;
    const d = sub([s.positions[3 * i], s.positions[3 * i + 1], s.positions[3 * i + 2]], ray.origin), t = dot(d, ray.direction);
    const off = t > 0 ? length(sub(d, scale(ray.direction, t))) / t : Infinity;
    if (off < best) { best = off; found = add(ray.origin, d); }
  }
  if (found && best < 0.05) { camera.eye = add(camera.eye, sub(found, camera.target)); camera.target = found; redraw = true; }
});

// ---- controls ----
function setRemoving(on) { removing = on; element('remove').setAttribute('aria-pressed', on); canvas.style.cursor = on ? 'crosshair' : ''; }
function showSetting(id, value) { element(id).value = value; element(id + '-value').textContent = `${Number(value).toFixed(1)}`; }
function isPlaying() { return socket ? Boolean(status.playing) : player.playing; }

function showStatus() {
  element('play').textContent = isPlaying() ? 'Pause' : 'Play';
  const parts = [];
  if (scene) parts.push(scene.backend);
  if (status.particles !== undefined) parts.push(`${status.particles.toLocaleString('en')} particles`, `${status.step_ms.toFixed(2)} ms per step`);
  if (status.viewers > 1) parts.push(`${status.viewers} viewers`);
  if (renderer.spacing && scene && scene.ground !== null) parts.push(`squares of ${renderer.spacing} m`);
  element('info').textContent = parts.join(' · ');
  if (status.trouble) notice(status.trouble + ' Rewind or restart to go on.', true);
  else if (element('notice').classList.contains('trouble') && socket && socket.readyState === WebSocket.OPEN) notice('', false);
  showTime();
}

function showTime() {
  const line = element('timeline'), now = socket ? (frame ? frame.time : 0) : player.time;
  line.min = status.first || 0;
  line.max = socket ? Math.max(now, status.time || 0) : player.end;
  if (document.activeElement !== line || !line.matches(':active')) line.value = now;
  element('time').textContent = `${now.toFixed(2)} s`;
}

function togglePlay() {
  if (socket) send({ do: isPlaying() ? 'pause' : 'play' });
  else { player.playing = !player.playing; if (player.playing && player.time >= player.end) seek(0); showStatus(); }
}

element('play').onclick = togglePlay;
element('step').onclick = () => send({ do: 'step' });
element('restart').onclick = () => socket ? send({ do: 'restart' }) : seek(0);
element('timeline').oninput = event => {
  const time = Number(event.target.value);
  if (socket) send({ do: 'rewind', time }); else { player.playing = false; seek(time); showStatus(); }
};
let speed = 1;
element('speed').oninput = event => {
  speed = 2 ** Number(event.target.value);
  element('speed-value').textContent = `${Number(speed.toPrecision(2))}×`;
  send({ do: 'speed', value: speed });
};
element('gravity').oninput = event => { showSetting('gravity', event.target.value); send({ do: 'gravity', value: [0, Number(event.target.value), 0] }); };
element('wind').oninput = event => { showSetting('wind', event.target.value); send({ do: 'wind', value: [Number(event.target.value), 0, 0] }); };
element('colors').onchange = () => { redraw = true; };
element('throw').onclick = () => send({ do: 'throw', ray: rayAt(canvas.clientWidth / 2, canvas.clientHeight / 2) });
element('remove').onclick = () => setRemoving(!removing);
element('focus').onclick = wholeScene;
const toggleHelp = on => { element('help').hidden = on === undefined ? !element('help').hidden : !on; };
element('help-button').onclick = () => toggleHelp();

window.addEventListener('keydown', event => {
  if (event.target.matches('input, select') && event.key !== 'Escape' && event.key !== 'F1') return;
  const keys = {
    ' ': togglePlay, '.': () => send({ do: 'step' }), r: () => element('restart').onclick(),
    t: () => send({ do: 'throw', ray: rayAt(pointer.x, pointer.y) }), x: () => setRemoving(!removing),
    c: () => { const s = element('colors'); s.selectedIndex = (s.selectedIndex + 1) % s.options.length; redraw = true; },
    f: wholeScene, F1: () => toggleHelp(), Escape: () => { toggleHelp(false); setRemoving(false); },
  };
  const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (action && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); action(); }
});
window.addEventListener('resize', () => { redraw = true; });

function animate(now) {
  if (!socket && player.messages.length) {
    if (player.playing) seek(Math.min(player.end, player.time + Math.min(0.1, (now - player.last) / 1000) * speed));
    if (player.time >= player.end && player.playing) { player.playing = false; showStatus(); }
    player.last = now;
  }
  if (redraw) { redraw = false; renderer.draw(camera, element('colors').value); }
  requestAnimationFrame(animate);
}

const recording = element('recording').textContent.trim();
if (recording) startRecording(recording); else connect();
requestAnimationFrame(animate);
