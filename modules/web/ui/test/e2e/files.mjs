// Files to upload.
import { picture } from './picture.mjs';
import { call } from './harness.mjs';

export const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };

const RATE = 8000; // samples per second
const riff = Buffer.alloc(44 + RATE, 128);
riff.write('RIFF', 0);
riff.writeUInt32LE(36 + RATE, 4);
riff.write('WAVEfmt ', 8);
[
  [16, 4],
  [1, 2], // PCM
  [1, 2], // channel
  [RATE, 4],
  [RATE, 4], // bytes per second
  [1, 2],
  [8, 2], // bits
].reduce((at, [n, size]) => riff.writeUIntLE(n, at, size), 16);
riff.write('data', 36);
riff.writeUInt32LE(RATE, 40);
/** sound is a recording of one second. */
export const sound = { name: 'waltz.wav', mimeType: 'audio/wav', buffer: riff };

/** film is no video, so that no browser can play it. */
export const film = { name: 'film.mp4', mimeType: 'video/mp4', buffer: Buffer.from('no film at all') };

/** named returns a picture with another name. */
export const named = (name) => ({ ...picture, name });

/** upload uploads a file as the user of a page and returns its URL. */
export async function upload(page, { name, mimeType, buffer }) {
  return page.evaluate(
    async ([name, mimeType, bytes]) => {
      const body = new FormData();
      body.append('file', new File([new Uint8Array(bytes)], name, { type: mimeType }));
      const token = document.querySelector('meta[name="csrf-token"]').content;
      const answer = await fetch('/json/user_uploads', { method: 'POST', body, headers: { 'X-CSRFToken': token } });
      return (await answer.json()).url;
    },
    [name, mimeType, [...buffer]],
  );
}

/** recordVideo records a video of a few frames in a page, and uploads it. */
export async function recordVideo(page, name) {
  const bytes = await page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    const paint = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' });
    const parts = [];
    recorder.ondataavailable = (e) => parts.push(e.data);
    const stopped = new Promise((resolve) => (recorder.onstop = resolve));
    recorder.start();
    for (let i = 0; i < 30; i++) {
      paint.fillStyle = `hsl(${i * 12} 60% 50%)`;
      paint.fillRect(0, 0, canvas.width, canvas.height);
      await new Promise(requestAnimationFrame);
    }
    recorder.stop();
    await stopped;
    return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
  });
  return upload(page, { name, mimeType: 'video/webm', buffer: bytes });
}

/** sendTo sends a message to a topic of a channel, and returns its ID. */
export async function sendTo(page, to, topic, content) {
  return (await call(page, 'POST', '/messages', { type: 'channel', to: [to], topic, content })).id;
}
