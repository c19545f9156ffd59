import type { Label } from '../messages/admin.ts';
import type { Who } from './rights.ts';

/** Choice is a value of a setting and the name of its text. */
export type Choice = readonly [value: string | number, label: Label];

/** Input is how a setting is entered. */
export type Input =
  | { kind: 'check' }
  | { kind: 'choice'; options: readonly Choice[] | (() => [value: string | number, text: string][]) }
  | { kind: 'text'; max?: number; lines?: number }
  | { kind: 'number'; unit?: Label; min?: number; max?: number }
  /** A length of time: presets in units of so many seconds; none is the value of "no limit". */
  | { kind: 'time'; unit: 'minutes' | 'days'; per: number; presets: readonly number[]; none: number | null }
  | { kind: 'group' }
  | { kind: 'channel'; private?: boolean };

/** Field is one setting of the organization. The key is its name on the wire, and the name of its text if there is no label. */
export interface Field {
  key: string;
  label: Label;
  input: Input;
  who: Who;
  /** shown turns what the server keeps into what the control shows, where that differs. */
  shown?: (stored: unknown) => unknown;
  /** sent turns a value into what the operation wants, where that differs. */
  sent?: (value: unknown) => unknown;
  /** tries is an action that shows what the setting does. */
  tries?: { label: Label; done: Label; run: (value: unknown) => Promise<unknown> };
  /** off says why nobody can change the setting now. */
  off?: () => string | undefined;
}

/** FieldGroup is settings under one heading. */
export interface FieldGroup {
  title?: Label;
  /** defaults tells that these are settings with which new people begin, not the organization's own. */
  defaults?: boolean;
  fields: Field[];
}

type More = Partial<Pick<Field, 'shown' | 'sent' | 'off' | 'tries' | 'who'>>;

/** named describes a setting whose text has another name than the setting. */
export function named(key: string, label: Label, input: Input, more: More = {}): Field {
  return { key, label, input, who: 'administrator', ...more };
}

/** field describes a setting whose name on the wire names its text too. */
export function field(key: Label, input: Input, more: More = {}): Field {
  return named(key, key, input, more);
}

export const check: Input = { kind: 'check' };
export const group: Input = { kind: 'group' };

export function choice(...options: Choice[]): Input {
  return { kind: 'choice', options };
}
