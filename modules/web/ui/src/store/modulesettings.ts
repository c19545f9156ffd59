import type { EventOfType } from '../api/events.ts';
import type { ModuleSetting, SettingScope, Snapshot } from '../api/types.ts';
import { Tracked } from './cell.ts';

/** ModuleSettings holds the settings that modules of the server declare, with their values. */
export class ModuleSettings extends Tracked {
  private all: Record<SettingScope, ModuleSetting[]> = { realm: [], user: [], channel: [] };
  private me = 0;

  reset(s: Snapshot): void {
    this.all = s.stoa_settings ?? { realm: [], user: [], channel: [] };
    this.me = s.user_id;
  }

  of(scope: SettingScope): ModuleSetting[] {
    return this.all[scope];
  }

  /** public returns the fields of the profile of users, or of the details of channels. */
  public(scope: 'user' | 'channel'): ModuleSetting[] {
    return this.all[scope].filter((s) => s.public);
  }

  /** value returns the value of the organization or the user, or with an ID that of a channel or of any user. */
  value(setting: ModuleSetting, id?: number): unknown {
    return id === undefined ? setting.value : (setting.values?.[id] ?? setting.default);
  }

  apply(e: EventOfType<'stoa_settings'>): void {
    const { scope, user_id: user, channel_id: channel, value } = e;
    const id = channel ?? user;
    const changed = (s: ModuleSetting): ModuleSetting => ({
      ...s,
      ...(channel === undefined && (user === undefined || user === this.me) ? { value } : {}),
      ...(id === undefined || (scope === 'user' && !s.public) ? {} : { values: { ...s.values, [id]: value } }),
    });
    this.all = { ...this.all, [scope]: this.all[scope].map((s) => (s.key === e.key ? changed(s) : s)) };
  }
}
