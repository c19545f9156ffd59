// Loaded on demand: sends files to the server, and keeps their links in the text.
import { store } from '../client.ts';
import { ApiError } from '../api/http.ts';
import { resumable, type Upload } from '../api/upload.ts';
import { text } from '../texts/index.ts';
import { ui } from '../shell/ui.svelte.ts';
import { errorText } from '../shell/errors.ts';

/** Target is the text that receives the links to uploaded files. */
export interface Target {
  insert(text: string): Promise<void>;
  replace(old: string, next: string): void;
}

export interface Running {
  id: number;
  /** mark stands for the link until the file is on the server. */
  mark: string;
  /** part is the fraction sent, from 0 to 1. */
  part: number;
  upload: Upload;
  file: File;
}

const all = new Map<string, Uploads>();

/** uploadsOf returns the uploads for a text. elsewhere receives their links while the text is not shown. */
export function uploadsOf(slot: string, elsewhere: Target): Uploads {
  const known = all.get(slot) ?? new Uploads(elsewhere);
  all.set(slot, known);
  return known;
}

/** known returns the uploads for a text, if there are any. */
export const known = (slot: string): Uploads | undefined => all.get(slot);

/** rename gives the uploads for a text another name, unless there are some with this name. */
export function rename(from: string, to: string, elsewhere: Target): void {
  const moving = all.get(from);
  if (!moving || all.has(to)) return;
  all.delete(from);
  all.set(to, moving);
  moving.elsewhere = elsewhere;
}

/** MAX_SENT is the number of files that are kept to show them in place of the server's copies. */
const MAX_SENT = 50;

/** sent holds uploaded files by URL. */
const sent = new Map<string, File>();

/** sentFile returns the file behind a URL, if this page has uploaded it. */
export const sentFile = (url: string): File | undefined => sent.get(url);

/** isVoice reports whether a file is a recording of this client, which messages play in place. */
const isVoice = (file: File) => file.type.startsWith('audio/') && file.name.startsWith('voice-');

/** Uploads manages the uploads of one text. They continue while it is not shown. */
export class Uploads {
  running = $state.raw<Running[]>([]);
  elsewhere: Target;
  private shown: Target | undefined;
  private serial = 0;

  constructor(elsewhere: Target) {
    this.elsewhere = elsewhere;
  }

  private get target(): Target {
    return this.shown ?? this.elsewhere;
  }

  /** attach names the text box that shows the text, until the returned function is called. */
  attach(box: Target): () => void {
    this.shown = box;
    return () => {
      if (this.shown === box) this.shown = undefined;
    };
  }

  /** add uploads files, and reports whether the text contains links to all of them. */
  async add(files: readonly File[]): Promise<boolean> {
    const ends: Promise<boolean>[] = [];
    // One after the other, so that the links keep the order of the files.
    for (const file of files) ends.push(...(await this.begin(file)));
    return (await Promise.all(ends)).every(Boolean);
  }

  /** begin inserts the placeholder of a file and starts its upload. */
  private async begin(file: File): Promise<[Promise<boolean>]> {
    const mib = store.realm.number('max_file_upload_size_mib', 100);
    if (file.size > mib * 1024 * 1024) {
      ui.toast(() => text.uploadFailed(file.name, text.tooLarge(mib)), 'error');
      return [Promise.resolve(false)];
    }
    const id = ++this.serial;
    const name = file.name.replace(/[[\]]/g, '');
    const mark = `[${text.uploading(name)} ${id}]()`;
    const upload = resumable(file, (part) => {
      this.running = this.running.map((x) => (x.id === id ? { ...x, part } : x));
    });
    upload.done.catch(() => undefined); // reported by finish
    await this.target.insert(`${mark}\n`);
    const end = this.finish({ id, mark, part: 0, upload, file }, name);
    return [end];
  }

  private async finish(running: Running, name: string): Promise<boolean> {
    const { id, mark, upload, file } = running;
    this.running = [...this.running, running];
    try {
      const answer = await upload.done;
      const shown = String(answer.filename ?? name).replace(/[[\]]/g, '');
      const url = String(answer.url);
      sent.set(url, file);
      if (sent.size > MAX_SENT) sent.delete(sent.keys().next().value!);
      this.target.replace(mark, `${isVoice(file) ? '!' : ''}[${shown}](${url})`);
      return true;
    } catch (e) {
      this.target.replace(`${mark}\n`, '');
      if (!(e instanceof ApiError) || e.code !== 'CANCELLED') {
        ui.toast(() => text.uploadFailed(name, errorText(e)), 'error');
      }
      return false;
    } finally {
      this.running = this.running.filter((x) => x.id !== id);
    }
  }

  /** follow cancels the uploads whose placeholders were deleted from the text. */
  follow(content: string): void {
    for (const r of this.running) if (!content.includes(r.mark)) r.upload.cancel();
  }
}
