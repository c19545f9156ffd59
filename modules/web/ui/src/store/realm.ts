import type { AllowedDomain, GroupValue, ServerEvent, Snapshot } from '../api/types.ts';
import { CellMap } from './cell.ts';

/** Realm holds the organization's settings and the server's limits, keyed as in the snapshot. */
export class Realm {
  private values = new CellMap<string, unknown>();

  reset(s: Snapshot): void {
    this.values.replace(
      Object.entries(s).filter(([k]) =>
        /^(realm_(?!users|user_groups|non_active|emoji|bots)|server_|max_|can_|is_|password_|stoa_)/.test(k),
      ),
    );
  }

  value(name: string): unknown {
    return this.values.get(name);
  }

  text(name: string): string {
    const v = this.values.get(name);
    return typeof v === 'string' ? v : '';
  }

  number(name: string, otherwise: number): number {
    const v = this.values.get(name);
    return typeof v === 'number' ? v : otherwise;
  }

  list(name: string): unknown[] {
    const v = this.values.get(name);
    return Array.isArray(v) ? v : [];
  }

  flag(name: string): boolean {
    return this.values.get(name) === true;
  }

  /** limit returns a limit in seconds, or undefined if there is none. */
  limit(name: string): number | undefined {
    const v = this.values.get(name);
    return typeof v === 'number' ? v : undefined;
  }

  group(name: string): GroupValue | undefined {
    return this.values.get(name) as GroupValue | undefined;
  }

  entries(): [string, unknown][] {
    return [...this.values];
  }

  apply(e: ServerEvent): void {
    if (e.type === 'realm' && e.op === 'update') this.values.set(`realm_${e.property}`, e.value);
    if (e.op === 'update_dict') {
      for (const [k, v] of Object.entries(e.data as Record<string, unknown>)) this.values.set(`realm_${k}`, v);
    }
    if (e.type === 'realm_linkifiers') this.values.set('realm_linkifiers', e.realm_linkifiers);
    if (e.type === 'realm_playgrounds') this.values.set('realm_playgrounds', e.realm_playgrounds);
    if (e.type === 'default_streams') this.values.set('realm_default_streams', e.default_streams);
    if (e.type === 'realm_user_settings_defaults') {
      const old = this.values.get('realm_user_settings_defaults') as Record<string, unknown> | undefined;
      this.values.set('realm_user_settings_defaults', { ...old, [e.property as string]: e.value });
    }
    if (e.type === 'realm_domains') this.applyDomain(e);
  }

  private applyDomain(e: ServerEvent): void {
    const set = e.realm_domain as AllowedDomain | undefined;
    const name = set?.domain ?? (e.domain as string);
    const all = this.list('realm_domains') as AllowedDomain[];
    if (!set)
      this.values.set(
        'realm_domains',
        all.filter((d) => d.domain !== name),
      );
    else if (e.op === 'add') this.values.set('realm_domains', [...all, set]);
    else
      this.values.set(
        'realm_domains',
        all.map((d) => (d.domain === name ? set : d)),
      );
  }
}
