/** Failure is why there is no recording. */
export type Failure = 'cannotRecord' | 'microphoneRefused' | 'noMicrophone' | 'recordingFailed';

/** formats are the preferred formats with the names of their files, those that play everywhere first. */
const formats: [string, string][] = [
  ['audio/mp4;codecs=mp4a.40.2', '.m4a'],
  ['audio/webm;codecs=opus', '.weba'],
  ['audio/mp4', '.m4a'],
  ['audio/ogg;codecs=opus', '.oga'],
];

const RATE = 64_000; // bits per second, enough for speech
const TICK = 200; // milliseconds

/** Recorder records what the microphone hears. */
export class Recorder {
  state = $state<'waiting' | 'recording' | 'paused' | 'done'>('waiting');
  failure = $state<Failure | undefined>();
  /** seconds is the length of the recording. */
  seconds = $state(0);
  file = $state.raw<File | undefined>();
  private media: MediaRecorder | undefined;
  private stream: MediaStream | undefined;
  private before = 0;
  private since = 0;
  private timer: ReturnType<typeof setInterval> | undefined;
  private closed = false;

  async start(): Promise<void> {
    // Browsers offer no microphone to pages without HTTPS.
    if (typeof MediaRecorder === 'undefined' || !(navigator.mediaDevices as MediaDevices | undefined)) {
      this.failure = 'cannotRecord';
      return;
    }
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    } catch (e) {
      this.failure = reason(e);
      return;
    }
    if (this.closed) this.release();
    else this.record(this.stream);
  }

  private record(stream: MediaStream): void {
    const [type, end] = formats.find(([t]) => MediaRecorder.isTypeSupported(t)) ?? ['', '.webm'];
    const media = new MediaRecorder(stream, { ...(type ? { mimeType: type } : {}), audioBitsPerSecond: RATE });
    const pieces: Blob[] = [];
    media.ondataavailable = (e) => pieces.push(e.data);
    media.onstop = () => {
      this.release();
      if (this.closed) return;
      const now = new Date();
      const stamp = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().replace(/\D/g, '');
      const name = `voice-${stamp.slice(0, 8)}-${stamp.slice(8, 14)}${end}`;
      this.file = new File(pieces, name, { type: (media.mimeType || type).split(';')[0]! });
      this.state = 'done';
    };
    media.onerror = () => {
      this.failure = 'recordingFailed';
      this.release();
    };
    // The microphone may be unplugged: what was said until then is kept.
    for (const track of stream.getTracks()) track.onended = () => this.stop();
    media.start(1000);
    this.media = media;
    this.run();
  }

  private run(): void {
    this.since = performance.now();
    this.state = 'recording';
    this.timer = setInterval(() => this.count(), TICK);
  }

  private count(): void {
    this.seconds = Math.floor((this.before + performance.now() - this.since) / 1000);
  }

  private halt(): void {
    if (this.state !== 'recording') return;
    this.count();
    this.before += performance.now() - this.since;
    clearInterval(this.timer);
  }

  pause(): void {
    if (this.state !== 'recording') return;
    this.media?.pause();
    this.halt();
    this.state = 'paused';
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.media?.resume();
    this.run();
  }

  stop(): void {
    if (this.state !== 'recording' && this.state !== 'paused') return;
    this.halt();
    if (this.media?.state !== 'inactive') this.media?.stop();
  }

  private release(): void {
    clearInterval(this.timer);
    for (const track of this.stream?.getTracks() ?? []) {
      track.onended = null;
      track.stop();
    }
  }

  /** close discards the recording and releases the microphone. */
  close(): void {
    this.closed = true;
    if (this.media && this.media.state !== 'inactive') this.media.stop();
    this.release();
  }
}

function reason(e: unknown): Failure {
  const { name } = e as DOMException;
  if (name === 'NotFoundError') return 'noMicrophone';
  return name === 'NotAllowedError' || name === 'SecurityError' ? 'microphoneRefused' : 'recordingFailed';
}
