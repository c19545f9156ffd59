import { http } from '../client.ts';
import { session } from '../session.ts';
import { ArchiveSender } from './archivesender.ts';

export type Program = 'slack' | 'mattermost' | 'zulip' | 'stoa';

export type Outcome = 'converted' | 'skipped' | 'refused';

/** Choices are what the owner chooses before the check. */
export interface Choices {
  subdomain: string;
  name: string;
  owner_email: string;
  email_domain: string;
  workspace: string;
  threads: string;
  split: string;
  main_topic: string;
  since: string;
  until: string;
  no_direct: boolean;
  no_files: boolean;
  no_pins: boolean;
  /** names are those chosen for channels and groups. Earlier versions have none. */
  names?: ChosenName[];
}

export interface ChosenName {
  key: string;
  name: string;
}

export interface Report {
  counts: { kind: string; imported: number; converted: number; skipped: number; refused: number }[];
  /** A report of an earlier version of the server has no codes. */
  reasons: {
    kind: string;
    outcome: Outcome;
    reason: string;
    code?: string;
    detail?: string;
    count: number;
    examples?: string[];
  }[];
  notes: string[];
  /** collisions are what is called otherwise here. Earlier versions do not say so. */
  collisions?: { kind: string; key: string; name: string; name_here: string }[];
}

export interface Job {
  id: number;
  program: Program;
  file_name: string;
  size: number;
  received: number;
  state:
    | 'uploading'
    | 'uploaded'
    | 'checking'
    | 'checked'
    | 'running'
    | 'complete'
    | 'failed'
    | 'canceling'
    | 'canceled'
    | 'deleting';
  step: string;
  messages_written: number;
  error: string;
  choices: Choices | null;
  report: Report | null;
  imported_realm_url: string;
  created_at: number;
  links: boolean;
  /** mails says whether the server can send the links. Earlier versions never do. */
  mails?: boolean;
}

export interface PersonLink {
  full_name: string;
  email: string;
  reset_link: string;
}

/** choiceOf returns the names that are chosen after what was typed for the collisions of a report. */
export function choiceOf(job: Job, report: Report, typed: Record<string, string>): ChosenName[] {
  const names = new Map((job.choices?.names ?? []).map((n) => [n.key, n.name]));
  for (const c of report.collisions ?? []) {
    const name = (typed[c.key] ?? '').trim();
    if (name && name !== c.name_here) names.set(c.key, name);
  }
  return [...names].map(([key, name]) => ({ key, name }));
}

interface Jobs {
  imports: Job[];
  part_size: number;
  refusal: string;
}

const at = (job: Job, what: string) => `/imports/${job.id}/${what}`;

/** What the server does when an archive is checked, or deleted, can take a while. */
const SLOW = { timeout: 120_000 };

export const checkImport = (job: Job, choices: Choices) => http.call('POST', at(job, 'check'), { ...choices });
export const beginImport = (job: Job) => http.call('POST', at(job, 'start'));
export const cancelImport = (job: Job) => http.call('DELETE', `/imports/${job.id}`, { cancel: true });
export const deleteImport = (job: Job) => http.call('DELETE', `/imports/${job.id}`, {}, SLOW);
export const makeLinks = (job: Job) =>
  http.call<{ links: PersonLink[]; expires_at: number }>('POST', at(job, 'links'), {}, SLOW);

/** mailLinks has the server send everybody a link, and returns how many. */
export const mailLinks = async (job: Job) =>
  (await http.call<{ sent_count: number }>('POST', at(job, 'links'), { send: true }, SLOW)).sent_count;

/** Importing holds the imports of the organization, and sends an archive also while another view is open. */
class Importing {
  jobs = $state.raw<Job[]>();
  refusal = $state('');
  /** sending is the import whose archive this page sends. */
  sending = $state<number>();
  sent = $state(0);
  rate = $state<number>();
  left = $state<number>();
  waiting = $state(false);
  /** failure is why the server has refused a part. */
  failure = $state.raw<unknown>();
  private sender: ArchiveSender | undefined;
  private largest = 1 << 20;

  constructor() {
    addEventListener('beforeunload', (e) => {
      if (this.sending !== undefined && !session.isLeaving()) e.preventDefault();
    });
  }

  async load(): Promise<void> {
    const answer = await http.call<Jobs>('GET', '/imports');
    this.jobs = answer.imports;
    this.refusal = answer.refusal;
    this.largest = answer.part_size;
  }

  /** begin announces an archive and sends it. */
  async begin(program: Program, file: File): Promise<void> {
    const params = { program, file_name: file.name, size: file.size };
    const { id } = await http.call<{ id: number }>('POST', '/imports', params);
    await this.load();
    const job = this.jobs?.find((j) => j.id === id);
    if (job) this.send(job, file);
  }

  /** send sends the rest of an archive. */
  send(job: Job, file: File): void {
    const path = `/imports/${job.id}/archive`;
    const sender = new ArchiveSender(
      {
        send: async (body, offset, signal) => {
          const options = { body, signal, timeout: 120_000 };
          return (await http.call<{ received: number }>('POST', path, { offset }, options)).received;
        },
        received: async () => {
          const { imports } = await http.call<Jobs>('GET', '/imports');
          return imports.find((j) => j.id === job.id && j.state !== 'deleting')?.received;
        },
        pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
        now: () => performance.now(),
      },
      file,
      job.received,
      this.largest,
      () => {
        if (this.sender === sender) this.show(sender);
      },
    );
    this.sender = sender;
    this.sending = job.id;
    this.failure = undefined;
    this.show(sender);
    sender
      .run()
      .catch((e: unknown) => (this.failure = e))
      .finally(() => {
        if (this.sender === sender) this.sending = this.sender = undefined;
        void this.load().catch(() => undefined);
      });
  }

  stop(): void {
    this.sender?.stop();
    this.sender = undefined;
    this.sending = undefined;
  }

  private show(of: ArchiveSender): void {
    this.sent = of.sent;
    this.rate = of.rate;
    this.left = of.left;
    this.waiting = of.waiting;
  }
}

export const importing = new Importing();
