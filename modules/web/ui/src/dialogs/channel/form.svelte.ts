import { calls, http, store } from '../../client.ts';
import type { Channel, GroupValue, Subscription } from '../../api/types.ts';
import { mayChangeReaders } from '../readers.ts';

/** Own holds the settings of a subscription. */
export type Own = Pick<
  Subscription,
  'color' | 'pin_to_top' | 'is_muted' | 'desktop_notifications' | 'push_notifications'
>;

type Settings = Omit<Channel, 'stream_id'>;

/** NEW_FOLDER stands for a folder that is created when the form is saved. */
export const NEW_FOLDER = -1;

/** without returns the changes that were made since some were sent. */
function without<T extends object>(now: T, sent: T): T {
  const left = Object.entries(now).filter(([key, value]) => sent[key as keyof T] !== value);
  return Object.fromEntries(left) as T;
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** names of parameters that differ from those of the settings. */
const renamed: Partial<Record<keyof Settings, string>> = { name: 'new_name', invite_only: 'is_private' };

/** ChannelForm holds the unsaved changes to a channel's settings: those for everybody, and the user's own. */
export class ChannelForm {
  readonly id: number;
  newFolder = $state('');
  private own = $state.raw<Partial<Own>>({});
  private common = $state.raw<Partial<Settings>>({});
  /** bases holds the values that changes replace. */
  private bases = new Map<string, unknown>();

  constructor(id: number) {
    this.id = id;
  }

  private get channel(): Channel | undefined {
    return store.channels.get(this.id);
  }

  get dirty(): boolean {
    return Object.keys(this.own).length + Object.keys(this.common).length > 0;
  }

  /** complete reports whether all required fields are filled in. */
  get complete(): boolean {
    const folder = this.common.folder_id !== NEW_FOLDER || this.newFolder.trim() !== '';
    return folder && this.value('name')?.trim() !== '';
  }

  value<K extends keyof Settings>(key: K): Settings[K] | undefined {
    return key in this.common ? this.common[key] : this.channel?.[key];
  }

  set<K extends keyof Settings>(key: K, value: Settings[K]): void {
    const now = this.channel?.[key];
    const { [key]: _, ...rest } = this.common;
    if (!(key in this.common)) this.bases.set(key, now);
    this.common = same(value, now ?? null) ? rest : { ...this.common, [key]: value };
  }

  /** elsewhere returns the present value of a setting if somebody else has changed it since the user did. */
  elsewhere<K extends keyof Settings>(key: K): Settings[K] | undefined {
    const now = this.channel?.[key];
    return key in this.common && !same(now, this.bases.get(key)) ? now : undefined;
  }

  ownValue<K extends keyof Own>(key: K): Own[K] | undefined {
    return key in this.own ? this.own[key] : store.channels.subscribed.get(this.id)?.[key];
  }

  setOwn<K extends keyof Own>(key: K, value: Own[K]): void {
    const { [key]: _, ...rest } = this.own;
    const now = store.channels.subscribed.get(this.id)?.[key];
    this.own = same(value, now) ? rest : { ...this.own, [key]: value };
  }

  reset(): void {
    this.own = {};
    this.common = {};
    this.newFolder = '';
  }

  /** save saves all changes, and resolves to false if the user decides against it. */
  async save(): Promise<boolean> {
    const common = { ...this.common };
    if (common.invite_only !== undefined) {
      common.is_web_public = false;
      common.history_public_to_subscribers = true;
    }
    if (!(await mayChangeReaders(this.id, common))) return false;
    if (common.folder_id === NEW_FOLDER) {
      common.folder_id = await calls.createFolder(this.newFolder.trim());
      this.common = { ...this.common, folder_id: common.folder_id };
    }
    const params: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(common)) {
      const name = renamed[key as keyof Settings] ?? key;
      const old = this.bases.get(key) as GroupValue | undefined;
      if (key.startsWith('can_')) params[name] = { new: value, ...(old === undefined ? {} : { old }) };
      else params[name] = typeof value === 'string' ? value.trim() : value;
    }
    if (Object.keys(params).length > 0) await http.call('PATCH', `/streams/${this.id}`, params);
    this.common = without(this.common, common);
    this.newFolder = '';
    const own = this.own;
    if (Object.keys(own).length > 0) await calls.setSubscriptions(this.id, own);
    this.own = without(this.own, own);
    return true;
  }
}
