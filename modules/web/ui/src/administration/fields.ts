import type { Needs } from '../api/types.ts';
import { store } from '../client.ts';
import { hint, label, type Label } from '../texts/admin.ts';
import { noMail } from '../shell/server.ts';

/** Choice is a value of a setting and the name of its label. */
export type Choice = readonly [value: string | number, label: Label];

/** Option is a choice with its text, and the language of the text if it is not the reader's. */
export type Option = [value: string | number, text: string, language?: string];

/** Input describes the control for a setting. */
export type Input =
  | { kind: 'check' }
  | { kind: 'choice'; options: readonly Choice[] | (() => Option[]) }
  | { kind: 'text'; max?: number | undefined; lines?: number }
  | { kind: 'number'; unit?: Label; min?: number | undefined; max?: number | undefined }
  /**
   * A duration with presets in the displayed unit. per is the number of stored units in one displayed unit; none is
   * the stored value for "no limit".
   */
  | { kind: 'time'; unit: 'minutes' | 'days'; per: number; presets: readonly number[]; none: number | null }
  | { kind: 'group' }
  | { kind: 'channel'; private?: boolean };

/** Field is one setting. key is its name on the wire, and by default also names its label. */
export interface Field {
  key: string;
  /** needs is the module of the server without which the setting has no effect. */
  needs?: Needs;
  label: Label;
  input: Input;
  /** fromServer converts the stored value for the control, where they differ. */
  fromServer?: (stored: unknown) => unknown;
  /** toServer converts a value for the request, where they differ. */
  toServer?: (value: unknown) => unknown;
  /** trial is an action that demonstrates the setting. */
  trial?: { label: Label; done: Label; run: (value: unknown) => Promise<unknown> };
  /** asks returns the consequences for who can read what, to be confirmed before a value replaces another one. */
  asks?: (next: unknown, now: unknown) => string | undefined;
  /** off returns why the setting cannot be changed at present, if so. */
  off?: () => string | undefined;
}

/** FieldGroup is a group of settings with an optional heading. */
export interface FieldGroup {
  title?: Label;
  /** needs is the module of the server without which none of them has an effect. */
  needs?: Needs;
  /** of is whose settings they are, if not the organization's: the user's, or the defaults for new users. */
  of?: 'user' | 'defaults';
  fields: Field[];
}

export type More = Partial<Pick<Field, 'needs' | 'fromServer' | 'toServer' | 'off' | 'trial' | 'asks'>>;

/** named creates a Field whose label differs from its key. */
export function named(key: string, label: Label, input: Input, more: More = {}): Field {
  return { key, label, input, ...more };
}

/** field creates a Field whose key also names its label. */
export function field(key: Label, input: Input, more: More = {}): Field {
  return named(key, key, input, more);
}

/** mailed marks settings of emails about messages, which have no effect unless the server sends email. */
export const mailed: More = { off: noMail, needs: 'mailnotify' };

/** inChannels marks settings for channels and topics. */
export const inChannels: More = { needs: 'channels' };

export const check: Input = { kind: 'check' };
export const group: Input = { kind: 'group' };

export function choice(...options: Choice[]): Input {
  return { kind: 'choice', options };
}

/** offered returns the groups and their settings that have an effect on this server. Call it in a reactive context. */
export function offered(groups: readonly FieldGroup[]): FieldGroup[] {
  return groups
    .filter((g) => store.has(g.needs))
    .map((g) => ({ ...g, fields: g.fields.filter((f) => store.has(f.needs)) }))
    .filter((g) => g.fields.length > 0);
}

/** findable returns what a search for settings needs to know of those in a section. */
export const findable = (groups: readonly FieldGroup[] = []) =>
  offered(groups)
    .flatMap((g) => g.fields)
    .map((f) => ({ key: f.key, label: label(f.label), hint: hint(f.label) }));
