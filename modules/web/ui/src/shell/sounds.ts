// Notification sounds, synthesized in the browser.

/** Tone is a part of a sound: a wave that starts at a time, glides to another pitch, and fades. */
interface Tone {
  at: number; // seconds
  pitch: number; // hertz
  to?: number;
  lasts: number; // seconds
  loud: number; // 0 to 1
  wave?: OscillatorType;
}

/** bell returns the tones of a struck bell: partials fade faster the higher they are. */
const bell = (at: number, pitch: number, lasts: number, loud: number): Tone[] =>
  [1, 2, 2.76, 5.4].map((n, i) => ({ at, pitch: pitch * n, lasts: lasts / (i + 1), loud: loud / (1 + 2 * i) }));

/** sounds holds the tones of each sound, named as in the setting notification_sound. */
const sounds: Record<string, readonly Tone[]> = {
  zulip: [
    { at: 0, pitch: 587.33, lasts: 0.3, loud: 0.5, wave: 'triangle' },
    { at: 0.12, pitch: 880, lasts: 0.45, loud: 0.5, wave: 'triangle' },
  ],
  ding: bell(0, 1046.5, 1.1, 0.45),
  chime: [...bell(0, 659.26, 0.9, 0.3), ...bell(0.16, 783.99, 0.9, 0.3), ...bell(0.32, 1046.5, 1.2, 0.3)],
  pop: [{ at: 0, pitch: 320, to: 900, lasts: 0.09, loud: 0.7 }],
  bloop: [
    { at: 0, pitch: 620, to: 240, lasts: 0.16, loud: 0.6 },
    { at: 0.14, pitch: 300, to: 520, lasts: 0.14, loud: 0.5 },
  ],
};

let context: AudioContext | undefined;

/** play plays a sound. Browsers allow it once the user has clicked or typed in the page. */
export async function play(name: string): Promise<void> {
  if (name === 'none') return;
  context ??= new AudioContext();
  if (context.state === 'suspended') await context.resume();
  const now = context.currentTime + 0.02;
  for (const t of sounds[name] ?? sounds.zulip!) {
    const wave = context.createOscillator();
    const volume = context.createGain();
    const [start, end] = [now + t.at, now + t.at + t.lasts];
    wave.type = t.wave ?? 'sine';
    wave.frequency.setValueAtTime(t.pitch, start);
    if (t.to) wave.frequency.exponentialRampToValueAtTime(t.to, end);
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(t.loud * 0.4, start + 0.008);
    volume.gain.exponentialRampToValueAtTime(0.0001, end);
    wave.connect(volume).connect(context.destination);
    wave.start(start);
    wave.stop(end);
  }
}
