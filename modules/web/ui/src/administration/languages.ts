/** codes lists the languages that the server offers. */
const codes = `
  ar be bg bqi ca cs cy da de el en en-gb es eu fa fi fr gl gu hi hu id it ja ko lt lv ml mn nl no pl pt pt-br
  pt-pt ro ru si sr sv ta tl tr uk uz vi zh-hans zh-hant
`
  .trim()
  .split(/\s+/);

/** languages returns the languages with their native names. */
export function languages(): [string, string][] {
  return codes.map((code) => [code, new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code]);
}
