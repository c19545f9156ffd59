import { admin } from './en.admin.ts';
import { text } from './index.ts';

export { admin } from './en.admin.ts';

type Labels<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T];

/** Label names a text without parameters, of this catalogue or of the one that is always loaded. */
export type Label = Labels<typeof admin> | Labels<typeof text>;

export function label(name: Label): string {
  return name in admin ? admin[name as Labels<typeof admin>] : text[name as Labels<typeof text>];
}

/** hint returns the text that explains a label, if there is one. */
export function hint(name: Label): string | undefined {
  const key = `${name}_hint`;
  return key in admin ? admin[key as Labels<typeof admin>] : undefined;
}
