import type { Component } from 'svelte';
import type { Loader } from '../dialogs/ondemand.ts';
import { Storage } from '../store/storage.ts';
import { text } from '../texts/index.ts';
import { errorText } from './errors.ts';

/** Toast is a short message. Its texts are functions, so that they follow a change of language. */
export interface Toast {
  id: number;
  text: () => string;
  kind: 'info' | 'error';
  action?: Action | undefined;
}

/** Action is a button of a toast. */
export interface Action {
  label: () => string;
  run: () => void;
}

/** Announcement is what screen readers say once. */
export interface Announcement {
  id: number;
  text: string;
  /** message is the message from which it is, if any. */
  message: number | undefined;
}

/** Question is asked before something that cannot be undone. */
export interface Question {
  title: () => string;
  hint: () => string;
  /** details lists consequences, such as who is affected. */
  details?: () => string[];
  action: () => string;
  /** work is done after a yes. If it fails, the question stays and shows why. */
  work?: () => Promise<unknown>;
}

type Props = Record<string, unknown>;

/** SHOWN is how long toasts stay, in milliseconds: those with a button long enough to reach it. */
const SHOWN = { info: 4000, error: 9000, action: 12_000 };

// A dialog receives the properties passed to open.
type AnyComponent = Component<any>; // eslint-disable-line @typescript-eslint/no-explicit-any

/** REMEMBERED is how many announcements stay in the page: what follows too quickly must not replace them unsaid. */
const REMEMBERED = 3;

/** CONFIRMED is how long a control shows that its change was saved, in milliseconds. */
export const CONFIRMED = 5000;

const local = new Storage(() => globalThis.localStorage, 'stoa.');

/** UI is the page state that is not stored on the server. */
class UI {
  waiting = $state(0);
  toasts = $state<Toast[]>([]);
  dialog = $state.raw<{ component: AnyComponent; props: () => Props } | undefined>(undefined);
  /** asked is the question above the page or the open dialog. */
  asked = $state.raw<{ question: Question; answer: (yes: boolean) => void } | undefined>(undefined);
  /** refusal is what the open dialog's request failed with. */
  refusal = $state.raw<unknown>();
  leftOpen = $state(false);
  /** popovers are the open menus and pickers. The last one is on top. */
  popovers = $state.raw<readonly HTMLElement[]>([]);
  /** importExplained is true once the user has closed the hint that the organization was imported. */
  importExplained = $state(local.get<boolean>('import-explained') ?? false);
  /** peopleHidden is true if the user has hidden the people panel. */
  peopleHidden = $state(local.get<boolean>('people-hidden') ?? false);
  /** outdated is true if the server has a newer client than this page. */
  outdated = $state(false);
  /** due warns the user to set up a second factor, which will soon be necessary. */
  due = $state.raw<{ text: () => string; action: () => string } | undefined>(undefined);
  /** selected is the message that shortcuts act on. */
  selected = $state<number | undefined>(undefined);
  editing = $state<number | undefined>(undefined);
  /** minute is the current time in seconds, updated every minute for views that depend on it. */
  minute = $state(Math.floor(Date.now() / 1000));
  /** sent counts the messages sent from this page. */
  sent = $state(0);
  /** announced is what screen readers have said last that nothing at the focus shows. */
  announced = $state.raw<readonly Announcement[]>([]);
  private serial = 0;
  private opened = 0;
  private timers = new Map<number, ReturnType<typeof setTimeout>>();

  toast(text: () => string, kind: Toast['kind'] = 'info', action?: Action): void {
    const toast = { id: ++this.serial, text, kind, action };
    this.toasts = [...this.toasts.slice(-3), toast];
    this.release(toast);
  }

  /** announce has screen readers say a text. */
  announce(text: string, message?: number): void {
    this.announced = [...this.announced.slice(1 - REMEMBERED), { id: ++this.serial, text, message }];
  }

  /** hold keeps a toast with a button while it is pointed at or focused. Others would be in the way. */
  hold(t: Toast): void {
    if (t.action) clearTimeout(this.timers.get(t.id));
  }

  /** release starts a toast's time anew. */
  release(t: Toast): void {
    if (this.timers.has(t.id) && !t.action) return;
    clearTimeout(this.timers.get(t.id));
    this.timers.set(
      t.id,
      setTimeout(() => this.drop(t.id), t.action ? SHOWN.action : SHOWN[t.kind]),
    );
  }

  showPeople(shown: boolean): void {
    this.peopleHidden = !shown;
    local.set('people-hidden', shown ? undefined : true);
  }

  drop(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.toasts = this.toasts.filter((t) => t.id !== id);
  }

  /** problem is the reason for which the open dialog's request failed. */
  get problem(): string {
    return this.refusal === undefined ? '' : errorText(this.refusal);
  }

  /** covered is true while something is open above the view. */
  get covered(): boolean {
    return this.popovers.length > 0 || this.asked !== undefined || this.dialog !== undefined || this.leftOpen;
  }

  /** uncover closes what is on top. */
  uncover(): void {
    const popover = this.popovers.at(-1);
    if (popover) {
      this.popovers = this.popovers.slice(0, -1);
      popover.hidePopover();
    } else if (this.asked) this.asked.answer(false);
    else if (this.dialog) this.close();
    else this.leftOpen = false;
  }

  /** uncoverAll closes everything above the view. */
  uncoverAll(): void {
    while (this.covered) this.uncover();
    this.close(); // a dialog that is still loading
  }

  /** resetView is called on every navigation to another view. */
  resetView(): void {
    this.leftOpen = false;
    this.selected = undefined;
    this.editing = undefined;
  }

  /**
   * open shows a dialog, after loading it if necessary. Properties with texts are given as a function, so that they
   * follow a change of language.
   */
  open(dialog: AnyComponent | Loader, props: Props | (() => Props) = {}): void {
    const mine = ++this.opened;
    const show = (component: AnyComponent) => {
      if (mine !== this.opened) return; // another dialog was opened, or this one was closed
      this.refusal = undefined;
      this.dialog = { component, props: typeof props === 'function' ? props : () => props };
    };
    if (!('load' in dialog)) show(dialog);
    else
      dialog
        .load()
        .then(({ default: loaded }) => show(loaded))
        .catch(() => this.toast(() => text.loadFailed, 'error'));
  }

  explainedImport(): void {
    this.importExplained = true;
    local.set('import-explained', true);
  }

  /** ask asks a question, and resolves to whether the answer was yes. */
  ask(question: Question): Promise<boolean> {
    this.asked?.answer(false);
    return new Promise((resolve) => {
      const asked = {
        question,
        answer: (yes: boolean) => {
          if (this.asked === asked) this.asked = undefined;
          resolve(yes);
        },
      };
      this.asked = asked;
    });
  }

  close(): void {
    this.opened++;
    this.refusal = undefined;
    this.dialog = undefined;
  }
}

export const ui = new UI();

/**
 * attempt awaits work and reports whether it succeeded. It shows an error in the dialog that started the work if it
 * is still open, otherwise in a toast.
 */
export async function attempt(work: Promise<unknown>, done?: () => string): Promise<boolean> {
  const asking = ui.dialog;
  if (asking) ui.refusal = undefined;
  try {
    await work;
    if (done) ui.toast(done);
    return true;
  } catch (e) {
    if (asking && ui.dialog === asking) ui.refusal = e;
    else ui.toast(() => errorText(e), 'error');
    return false;
  }
}

/** offerUndo attempts work, then shows that it is done with a button that reverses it. */
export async function offerUndo(
  work: Promise<unknown>,
  done: () => string,
  undo: () => Promise<unknown>,
): Promise<boolean> {
  if (!(await attempt(work))) return false;
  showUndo(done, undo);
  return true;
}

/** showUndo says that something is done, with a button that reverses it. */
export function showUndo(done: () => string, undo: () => Promise<unknown>): void {
  ui.toast(done, 'info', { label: () => text.undo, run: () => void attempt(undo()) });
}

/** askFirst asks a question, does work if the answer is yes, and reports whether it was done. */
export function askFirst(question: Question, work: () => Promise<unknown>): Promise<boolean> {
  return ui.ask({ ...question, work });
}
