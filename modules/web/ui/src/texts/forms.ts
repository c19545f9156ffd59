/** Count holds the forms of a counted text by CLDR plural category. # stands for the number. */
export type Count = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** forms returns functions that format counts and lists in a language. */
export function forms(locale: string) {
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  const lists = new Intl.ListFormat(locale, { type: 'conjunction' });
  return {
    plural: (n: number, count: Count) => (count[rules.select(n)] ?? count.other).replace('#', numbers.format(n)),
    list: (items: string[]) => lists.format(items),
  };
}
