import { text } from '../texts/index.ts';

/** reasonName returns the translated name of a reason for a report. The server's names are in English. */
export function reasonName({ key, name }: { key: string; name: string }): string {
  switch (key) {
    case 'spam':
      return text.reasonSpam;
    case 'harassment':
      return text.reasonHarassment;
    case 'inappropriate':
      return text.reasonInappropriate;
    case 'norms':
      return text.reasonNorms;
    case 'other':
      return text.reasonOther;
    default:
      return name;
  }
}
