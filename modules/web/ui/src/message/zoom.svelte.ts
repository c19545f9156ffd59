// Loaded on demand: enlarges and moves a picture with the mouse, the fingers and the keyboard.

interface Point {
  x: number;
  y: number;
}

const MAX = 8;
/** STEP is by how much a button, a key or a notch of the wheel enlarges. */
const STEP = 1.25;
/** TWICE is the enlargement by a double click or tap. */
const TWICE = 2.5;
const SWIPE = 56; // pixels of movement that make a swipe
const STILL = 10; // pixels of movement that a tap may have
const DOUBLE = 300; // milliseconds between the taps of a double tap
const CONTROLS = 64; // pixels at the end of a video

const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);
const middle = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** isAbove reports whether a finger is on a video, above its controls. */
const isAbove = (e: PointerEvent) =>
  e.pointerType !== 'mouse' &&
  e.target instanceof HTMLVideoElement &&
  e.target.getBoundingClientRect().bottom - e.clientY > CONTROLS;

/** Gestures are what a picture that is not enlarged does not use itself. */
export interface Gestures {
  /** swiped is called with the direction of a swipe: 1 to the right. */
  swiped(way: 1 | -1): void;
  /** beside is called after a click beside the picture. */
  beside(): void;
}

/** Zoom is how a picture is shown on its stage: how much larger than the stage allows, and how far from its middle. */
export class Zoom {
  scale = $state(1);
  x = $state(0);
  y = $state(0);
  readonly enlarged = $derived(this.scale > 1);
  readonly most = $derived(this.scale === MAX);
  /** held is true while a pointer moves the picture, which must follow it at once. */
  held = $state(false);
  private readonly pointers = new Map<number, Point>();
  private stage: HTMLElement | undefined;
  private readonly gestures: Gestures;
  /** began is where the first pointer was pressed, or undefined after a gesture that is neither a tap nor a swipe. */
  private began: (Point & { on: EventTarget | null }) | undefined;
  private tapped = { at: -Infinity, x: 0, y: 0 };
  /** touched is true if the last pointer was no mouse. */
  private touched = false;

  constructor(gestures: Gestures) {
    this.gestures = gestures;
  }

  reset(): void {
    this.scale = 1;
    this.x = this.y = 0;
  }

  /** to enlarges the picture to a scale. The point of it that is at a place of the window stays there. */
  to(scale: number, at?: Point): void {
    const next = scale < 1.01 ? 1 : Math.min(MAX, scale);
    const { left = 0, top = 0, width = 0, height = 0 } = this.stage?.getBoundingClientRect() ?? {};
    const p = at ? { x: at.x - left - width / 2, y: at.y - top - height / 2 } : { x: 0, y: 0 };
    const growth = next / this.scale;
    this.scale = next;
    this.place(p.x - (p.x - this.x) * growth, p.y - (p.y - this.y) * growth);
  }

  by(steps: number, at?: Point): void {
    this.to(this.scale * STEP ** steps, at);
  }

  /** pan moves an enlarged picture, no further than to its edges. */
  pan(x: number, y: number): void {
    this.place(this.x + x, this.y + y);
  }

  private place(x: number, y: number): void {
    const picture = this.stage?.querySelector('img');
    const room = (size = 0, stage = 0) => Math.max(0, (size * this.scale - stage) / 2);
    const [across, down] = [
      room(picture?.offsetWidth, this.stage?.clientWidth),
      room(picture?.offsetHeight, this.stage?.clientHeight),
    ];
    this.x = Math.min(across, Math.max(-across, x));
    this.y = Math.min(down, Math.max(-down, y));
  }

  /** attach makes an element the stage. */
  attach = (stage: HTMLElement): (() => void) => {
    this.stage = stage;
    const listening = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, run: (e: HTMLElementEventMap[K]) => void) =>
      stage.addEventListener(type, run, { signal: listening.signal, passive: false });
    on('wheel', (e) => {
      if (!this.isPicture(e)) return;
      e.preventDefault();
      // Touchpads report pinches as small turns of the wheel.
      this.by(-Math.sign(e.deltaY) * Math.min(1, Math.abs(e.deltaY) / (e.ctrlKey ? 10 : 50)), e);
    });
    on('dblclick', (e) => {
      if (this.isPicture(e) && !this.touched) this.toggle(e);
    });
    on('pointerdown', (e) => this.down(e));
    on('pointermove', (e) => this.move(e));
    on('pointerup', (e) => this.up(e, true));
    on('pointercancel', (e) => this.up(e, false));
    const resized = new ResizeObserver(() => this.pan(0, 0));
    resized.observe(stage);
    return () => {
      listening.abort();
      resized.disconnect();
      this.pointers.clear();
    };
  };

  /** isPicture excludes videos, which use the pointer themselves. */
  private isPicture(e: Event): boolean {
    return e.target === this.stage || (e.target instanceof Element && e.target.matches('img'));
  }

  private toggle(at: Point): void {
    if (this.enlarged) this.reset();
    else this.to(TWICE, at);
  }

  private down(e: PointerEvent): void {
    if (!(this.isPicture(e) || isAbove(e)) || e.button !== 0) return;
    const at = { x: e.clientX, y: e.clientY };
    this.began = this.pointers.size === 0 ? { ...at, on: e.target } : undefined;
    this.pointers.set(e.pointerId, at);
    this.held = true;
    this.touched = e.pointerType !== 'mouse';
    if (!this.touched) this.stage?.setPointerCapture(e.pointerId);
  }

  private move(e: PointerEvent): void {
    const from = this.pointers.get(e.pointerId);
    if (!from) return;
    const at = { x: e.clientX, y: e.clientY };
    const other = [...this.pointers].find(([id]) => id !== e.pointerId)?.[1];
    this.pointers.set(e.pointerId, at);
    if (other) {
      const [before, now] = [middle(from, other), middle(at, other)];
      this.to((this.scale * distance(at, other)) / Math.max(1, distance(from, other)), now);
      this.pan(now.x - before.x, now.y - before.y);
    } else if (this.enlarged) this.pan(at.x - from.x, at.y - from.y);
    else if (this.began && this.touched) this.x = at.x - this.began.x; // follow what may be a swipe
  }

  private up(e: PointerEvent, done: boolean): void {
    if (!this.pointers.delete(e.pointerId)) return;
    this.held = this.pointers.size > 0;
    if (this.held) return;
    const { began } = this;
    if (!this.enlarged) this.reset();
    if (!done || !began) return;
    const [x, y] = [e.clientX - began.x, e.clientY - began.y];
    if (Math.hypot(x, y) <= STILL) {
      if (!(began.on instanceof HTMLVideoElement)) this.tap(e, began.on);
    } else if (this.touched && !this.enlarged && Math.abs(x) >= SWIPE && Math.abs(x) > 2 * Math.abs(y))
      this.gestures.swiped(x > 0 ? 1 : -1);
  }

  /** tap recognizes double taps, which not all browsers report as double clicks. */
  private tap(e: PointerEvent, on: EventTarget | null): void {
    if (!this.touched) {
      if (on === this.stage && !this.enlarged) this.gestures.beside();
      return;
    }
    const at = { at: e.timeStamp, x: e.clientX, y: e.clientY };
    const twice = at.at - this.tapped.at < DOUBLE && distance(at, this.tapped) < 3 * STILL;
    this.tapped = twice ? { ...at, at: -Infinity } : at;
    if (twice) this.toggle(at);
  }
}
