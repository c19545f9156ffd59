// More specific names come first: most browsers also name those they are compatible with.
const browsers: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\/\d/, 'Edge'],
  [/OPR\/\d/, 'Opera'],
  [/SamsungBrowser\/\d/, 'Samsung Internet'],
  [/(?:Firefox|FxiOS)\/\d/, 'Firefox'],
  [/(?:HeadlessChrome|Chrome|CriOS)\/\d/, 'Chrome'],
  [/Version\/\d.* Safari\/\d/, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows NT/, 'Windows'],
  [/Linux/, 'Linux'],
];

/** clientName returns a short name for a User-Agent header, or the header itself if it is not that of a browser. */
export function clientName(agent: string): string {
  const find = (all: [RegExp, string][]) => all.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find(browsers);
  if (!browser) return agent;
  const system = find(systems);
  return system ? `${browser} · ${system}` : browser;
}
