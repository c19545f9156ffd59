/** Count has the forms of a text that counts, by plural category (CLDR). The number takes the place of #. */
export type Count = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** forms returns how a language writes numbers, counted things and lists. */
export function forms(locale: string) {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' });
  return {
    plural: (n: number, count: Count) => (count[rules.select(n)] ?? count.other).replace('#', numbers.format(n)),
    list: (items: string[]) => lists.format(items),
  };
}
