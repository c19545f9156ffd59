import type { Plugin } from 'vite';
import { ar } from '../src/texts/ar.help.ts';
import { de } from '../src/texts/de.help.ts';
import { help as en } from '../src/texts/en.help.ts';
import { es } from '../src/texts/es.help.ts';
import { fr } from '../src/texts/fr.help.ts';
import { ja } from '../src/texts/ja.help.ts';
import { zhHans } from '../src/texts/zh-hans.help.ts';
import { tasks, type Task } from './tasks.ts';

type Area = Record<string, string> & { title: string };

const guides: Record<string, Record<string, Area>> = { en, ar, de, es, fr, ja, 'zh-Hans': zhHans };

/** pages returns the guide in all languages, as the server's page /help reads it: areas with paragraphs, and tasks. */
export function pages(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(guides).map(([language, guide]) => [
      language,
      {
        tasks: tasks.map((t: Task) => ({ to: t.to, title: t[language as keyof Task] })),
        areas: Object.entries(guide)
          .filter(([name]) => name !== 'imported') // what is true of one organization only
          .map(([name, area]) => ({
            name,
            title: area.title,
            paragraphs: Object.entries(area)
              .filter(([key]) => key !== 'title')
              .map(([key, text]) => ({ key, text })),
          })),
      },
    ]),
  );
}

/** help writes help.json, from which the server makes the page /help. */
export function help(): Plugin {
  return {
    name: 'stoa-help',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'help.json', source: JSON.stringify(pages()) });
    },
  };
}
