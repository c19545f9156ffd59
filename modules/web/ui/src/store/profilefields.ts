import type { AccountService, ProfileField } from '../api/types.ts';

/** Kind lists the types of profile fields. */
export const Kind = {
  text: 1,
  long: 2,
  choice: 3,
  date: 4,
  link: 5,
  people: 6,
  account: 7,
  pronouns: 8,
} as const;

export interface Option {
  id: string;
  text: string;
}

/** choicesOf returns the options of a field in display order. */
export function choicesOf(f: ProfileField): Option[] {
  if (f.type !== Kind.choice) return [];
  try {
    const options: Record<string, { text: string; order?: string }> = JSON.parse(f.field_data);
    return Object.entries(options)
      .sort(([, a], [, b]) => Number(a.order ?? 0) - Number(b.order ?? 0))
      .map(([id, c]) => ({ id, text: c.text }));
  } catch {
    return [];
  }
}

/**
 * accountURL returns the URL of an external account. For services known to the server, the pattern comes from
 * services.
 */
export function accountURL(
  f: ProfileField,
  name: string,
  services: Record<string, AccountService>,
): string | undefined {
  try {
    const data: { subtype?: string; url_pattern?: string } = JSON.parse(f.field_data);
    const service = services[data.subtype ?? ''];
    return (data.url_pattern ?? service?.url_pattern)?.replace('%(username)s', () => encodeURIComponent(name));
  } catch {
    return undefined;
  }
}
