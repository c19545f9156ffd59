/** Fence is a line that opens a fenced block. */
interface Fence {
  marks: string;
  /** holdsText reports whether further blocks can open in the content. Code and formulas are opaque. */
  holdsText: boolean;
}

/** openFence parses an opening line by the server's rules: the header may contain any character but the fence's own. */
function openFence(line: string): Fence | undefined {
  const m = /^(`{3,}|~{3,})(.*)$/.exec(line);
  if (!m || m[2]!.includes(line[0]!)) return undefined;
  const rest = /^(\{\s*)?(?:\.(?=[\w+\-./#]))?([\w+\-./#]*)(.*)$/.exec(m[2]!.trim())!;
  let header = rest[3]!;
  if (rest[1] !== undefined) {
    if (!header.trimStart().startsWith('}')) return undefined;
    header = header.trimStart().slice(1);
  }
  if (!rest[2] && header.trim()) return undefined;
  return { marks: m[1]!, holdsText: /^(?:quote|quoted|spoiler)$/i.test(rest[2]!) };
}

/** closing returns the lines that close the blocks that a text leaves open, innermost first. */
function closing(text: string): string[] {
  const open: Fence[] = [];
  for (const line of text
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0002\u0003]/g, '')
    .split('\n')) {
    const inner = open.at(-1);
    if (inner && line.trimEnd() === inner.marks) open.pop();
    else if (!inner || inner.holdsText) {
      const fence = openFence(line);
      if (fence) open.push(fence);
    }
  }
  return open.reverse().map((f) => f.marks);
}

/** quoteBlock returns a quote of a text, which can neither end the block nor extend it. */
export function quoteBlock(text: string): string {
  const marks = marksFor(text);
  return [`${marks}quote`, text, ...closing(text), marks].join('\n');
}

/** spoilerBlock returns a spoiler with a header, which is empty for the default one. */
export function spoilerBlock(text: string, header: string): string {
  const marks = marksFor(text);
  const first = header.replace(/[\n`]+/g, ' ').trim();
  return [`${marks}spoiler ${first}`.trimEnd(), text, ...closing(text), marks].join('\n');
}

/** codeBlock returns source code in a language, which is empty if it is unknown. */
export function codeBlock(code: string, language: string): string {
  const marks = marksFor(code);
  return [`${marks}${/^[\w+\-./#]*$/.test(language) ? language : ''}`, code, marks].join('\n');
}

/** marksFor returns fence marks that a text does not contain. */
function marksFor(text: string): string {
  let marks = '```';
  while (text.replace(/[\u0002\u0003]/g, '').includes(marks)) marks += '`';
  return marks;
}
