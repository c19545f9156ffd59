import { store } from '../client.ts';
import { ApiError } from '../api/http.ts';
import { resumable, type Upload } from '../api/upload.ts';
import { text } from '../texts/index.ts';
import { ui } from '../shell/ui.svelte.ts';
import { errorText } from '../shell/errors.ts';

/** Target is the text box that receives the links to uploaded files. */
export interface Target {
  insert(text: string): Promise<void>;
  replace(old: string, next: string): void;
}

interface Running {
  id: number;
  name: string;
  /** part is the fraction sent, from 0 to 1. */
  part: number;
  upload: Upload;
}

/** Uploads manages the uploads of a compose box. */
export class Uploads {
  running = $state<Running[]>([]);
  private target: () => Target | undefined;
  private serial = 0;

  constructor(target: () => Target | undefined) {
    this.target = target;
  }

  add(files: Iterable<File>): void {
    void this.begin([...files]);
  }

  /** begin inserts the placeholders one after the other, so that the links keep the order of the files. */
  private async begin(files: File[]): Promise<void> {
    for (const file of files) await this.mark(file);
  }

  private async mark(file: File): Promise<void> {
    const mib = store.realm.number('max_file_upload_size_mib', 100);
    if (file.size > mib * 1024 * 1024) {
      ui.toast(() => text.uploadFailed(file.name, text.tooLarge(mib)), 'error');
      return;
    }
    const id = ++this.serial;
    const name = file.name.replace(/[[\]]/g, '');
    const mark = `[${text.uploading(name)} ${id}]()`;
    await this.target()?.insert(`${mark}\n`);
    void this.send(file, id, name, mark);
  }

  private async send(file: File, id: number, name: string, mark: string): Promise<void> {
    const sent = resumable(file, (part) => {
      this.running = this.running.map((x) => (x.id === id ? { ...x, part } : x));
    });
    this.running = [...this.running, { id, name, part: 0, upload: sent }];
    try {
      const answer = await sent.done;
      const shown = String(answer.filename ?? name).replace(/[[\]]/g, '');
      this.target()?.replace(mark, `[${shown}](${String(answer.url)})`);
    } catch (e) {
      this.target()?.replace(`${mark}\n`, '');
      if (!(e instanceof ApiError) || e.code !== 'CANCELLED') {
        ui.toast(() => text.uploadFailed(name, errorText(e)), 'error');
      }
    } finally {
      this.running = this.running.filter((x) => x.id !== id);
    }
  }
}
