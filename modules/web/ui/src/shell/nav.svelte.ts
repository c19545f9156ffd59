import { calls, store } from '../client.ts';
import { ApiError } from '../api/http.ts';
import type { Message } from '../api/types.ts';
import { lookup, names } from '../format/names.ts';
import { conversationOf, key, terms, type Conversation, type Narrow } from '../store/narrow.ts';
import { slug } from '../store/fragment.ts';
import { startOf } from '../store/operators.ts';
import { narrowHash, parseHash, routeHash, type Place, type Route } from '../store/route.ts';
import { text } from '../texts/index.ts';
import { paced } from './paced.ts';
import { origin } from './shadow.ts';
import { ui } from './ui.svelte.ts';

const SAVE_INTERVAL = 500; // milliseconds

/** slugged matches the channel in a URL fragment: its ID, and the name that makes the address readable. */
const slugged = /(narrow\/channel\/\d+)[^/]*/;

/** Entry is what the browser's history contains about a view. */
interface Entry {
  id?: number;
  /** top is the topmost visible message. */
  top?: number | undefined;
  /** over marks the second entry of a view, which is for what is open above it. */
  over?: true;
}

const entry = (): Entry => (history.state as Entry | null) ?? {};
const begin = (): Entry => ({ id: Math.random() });

/**
 * Navigation tracks the URL fragment. It stores the topmost visible message in the browser history.
 *
 * What opens above a view adds a second entry for it to the history, so that going back closes that first. This entry
 * stays, and serves what is opened next, until the next view replaces it. Without anything open, it is passed over.
 */
class Navigation {
  route = $state.raw<Route>({ view: 'home' });
  /** visit changes with every navigation, even to the current view. */
  visit = $state(0);
  /** conversation changes with the conversation on the screen, but not when that is renamed or moved. */
  conversation = $state(0);
  /** fragment is the URL fragment without the position in a conversation. */
  fragment = $state('');
  /** top is the message to scroll to after going back. */
  top: number | undefined;
  /** quiet is true after keyboard navigation: the compose box must not take the focus. */
  quiet = false;
  /** startsDirect is true while the user is starting a direct conversation. */
  startsDirect = false;
  /** reading is false once the user starts a direct conversation, until they turn to the messages shown. */
  reading = true;
  private byKey = false;

  start(): void {
    addEventListener('popstate', () => this.traverse());
    addEventListener('hashchange', () => this.traverse());
    addEventListener('click', (e) => this.follow(e));
    addEventListener('pagehide', () => this.write());
    this.read();
  }

  private seen = '';
  /** address is the URL fragment of the view on the screen. */
  private address = '';
  private at: Entry = {};
  private readonly tops = new Map<number | undefined, number | undefined>();

  /** look remembers the present entry of the history, and returns whether it is another one than before. */
  private look(): boolean {
    if (entry().id === undefined) history.replaceState({ ...entry(), ...begin() }, '');
    this.at = entry();
    const mark = `${location.hash} ${JSON.stringify(this.at)}`;
    const other = mark !== this.seen;
    this.seen = mark;
    return other;
  }

  /** cover adds the entry for what is open above the view. */
  cover(): void {
    if (entry().over) return;
    history.pushState({ ...entry(), over: true }, '');
    this.look();
  }

  /** traverse goes back or forward in the history. */
  private traverse(): void {
    const from = this.at;
    if (from.id !== entry().id) {
      ui.uncoverAll();
      this.read();
      return;
    }
    // The conversation may have moved while something was open above it.
    const uncovered = from.over && !entry().over;
    if (uncovered && location.hash !== this.address) history.replaceState(history.state, '', this.address);
    this.look();
    if (from.over && !this.at.over) {
      if (!ui.covered) history.back();
      else ui.uncover();
      if (ui.covered) this.cover();
    } else if (!from.over && this.at.over && !ui.covered) history.forward();
  }

  /** follow opens links in place of what is open above the view. */
  private follow(e: MouseEvent): void {
    if (!entry().over || e.defaultPrevented || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    const link = origin(e)?.closest('a[href^="#"]:not([target])');
    if (!link) return;
    e.preventDefault();
    ui.uncoverAll();
    this.goHash(link.getAttribute('href')!);
  }

  private read(): void {
    if (!this.look()) return;
    this.reading = true;
    this.top = this.tops.get(this.at.id) ?? this.at.top;
    this.quiet = this.byKey;
    const route = parseHash(location.hash, lookup);
    if (route.view === 'messages' && (route.with !== undefined || route.date !== undefined)) void this.settle(route);
    else this.show(route);
  }

  private show(route: Route): void {
    ui.resetView();
    if (place(route) !== place(this.route)) this.conversation++;
    this.set(route);
    this.visit++;
  }

  private set(route: Route): void {
    this.route = route;
    this.address = location.hash;
    this.fragment = fragmentOf(this.address);
  }

  /** moved stays in a conversation that was renamed or moved: only its address changes. */
  moved(to: Conversation): void {
    const route: Place = { view: 'messages', narrow: to };
    history.replaceState(history.state, '', routeHash(route, names));
    this.look();
    this.top = undefined;
    this.set(route);
  }

  /** replace changes the current history entry. */
  private replace(route: Place): void {
    history.replaceState(begin(), '', routeHash(route, names));
    this.read();
  }

  /** settle opens the present conversation of a message, or the first message of a date. */
  private async settle(route: Place): Promise<void> {
    const from = this.at.id;
    const place: Place = { view: 'messages', narrow: route.narrow };
    if (route.near !== undefined) place.near = route.near;
    const conversation = route.narrow.kind === 'topic' || route.narrow.kind === 'dm';
    if (conversation && route.date === undefined) this.show(place);
    try {
      if (route.with !== undefined) {
        place.narrow = conversationOf(await this.message(route.with), store.me);
      } else if (route.date !== undefined) {
        const first = await calls.messageAt(terms(route.narrow), startOf(route.date));
        if (first !== undefined) place.near = first;
      }
    } catch (e) {
      if (this.at.id !== from) return;
      if (route.with !== undefined && !conversation && refused(e)) this.show({ view: 'nowhere', missing: true });
      else if (!conversation || route.date !== undefined) this.show(place);
      return;
    }
    if (this.at.id !== from) return;
    if (key(place.narrow) !== key(route.narrow) || place.near !== route.near) this.replace(place);
    else if (!conversation) this.show(place);
  }

  private async message(id: number): Promise<Message> {
    return store.messages.get(id) ?? (await calls.message(id));
  }

  /** seek opens the conversation of a message that is not in the view that was linked to, since it may have moved. */
  async seek(id: number, narrow: Narrow): Promise<void> {
    const from = this.at.id;
    const isSearch = narrow.kind === 'search' && !narrow.terms.every((t) => t.operator === 'in');
    try {
      const to = conversationOf(await this.message(id), store.me);
      if (this.at.id !== from || narrow.kind === 'is' || isSearch || key(to) === key(narrow)) return;
      this.replace({ view: 'messages', narrow: to, near: id });
    } catch (e) {
      if (this.at.id !== from || !refused(e)) return;
      if (narrow.kind === 'search' && !isSearch) this.show({ view: 'nowhere', missing: true });
      else ui.toast(() => text.missing, 'error');
    }
  }

  /** quietly runs the action of a keyboard shortcut. */
  quietly(run: () => void): void {
    this.byKey = true;
    run();
    this.byKey = false;
  }

  go(route: Route): void {
    this.goHash(routeHash(route, names));
  }

  goHash(hash: string): void {
    if (location.hash === hash) {
      this.top = undefined;
      this.visit++;
      return;
    }
    if (entry().over) history.replaceState(begin(), '', hash);
    else history.pushState(begin(), '', hash);
    this.read();
  }

  /** newDirect opens the view in which a direct conversation is started. */
  newDirect(): void {
    const before = location.hash;
    this.startsDirect = true;
    this.goHash('#narrow/is/dm');
    if (location.hash !== before) this.reading = false;
  }

  open(narrow: Narrow, near?: number): void {
    this.go(near === undefined ? { view: 'messages', narrow } : { view: 'messages', narrow, near });
  }

  /** remember stores the topmost message in the history entry, for going back. */
  remember(top: number | undefined): void {
    if (this.tops.get(this.at.id) === top && this.tops.has(this.at.id)) return;
    this.tops.set(this.at.id, top);
    this.save();
  }

  /** save writes the entry at intervals: browsers pass each change of it on to another process. */
  private readonly save = paced(SAVE_INTERVAL, () => this.write());

  private write(): void {
    const top = this.tops.get(this.at.id);
    if (!this.tops.has(this.at.id) || this.at.id !== entry().id || this.at.top === top) return;
    history.replaceState({ ...entry(), top }, '');
    this.look();
  }

  href(narrow: Narrow, near?: number): string {
    return narrowHash(narrow, names, near);
  }

  /** shown is the view on the screen: the one at the address, or the home view if the address names none. */
  get shown(): Route {
    return this.route.view === 'home' && !store.spectator ? home() : this.route;
  }

  /** narrow is the narrow on the screen. */
  get narrow(): Narrow | undefined {
    const { shown } = this;
    return shown.view === 'messages' ? shown.narrow : undefined;
  }

  /** spell writes the present name of the channel on the screen into the address. */
  spell(): void {
    const { route } = this;
    const n = route.view === 'messages' ? route.narrow : undefined;
    const name = n?.kind === 'channel' || n?.kind === 'topic' ? names.channelName(n.channel) : undefined;
    if (name === undefined || /\/(with|date)\//.test(location.hash)) return; // settle still reads the address
    const hash = location.hash.replace(slugged, (_, id: string) => id + slug(name));
    if (hash === location.hash) return;
    history.replaceState(history.state, '', hash);
    this.look();
    this.address = hash;
    this.fragment = fragmentOf(hash);
  }

  /** isOn reports whether a fragment leads to the view on the screen, whatever its channel was called. */
  isOn(fragment: string): boolean {
    return fragment.replace(slugged, '$1') === this.fragment.replace(slugged, '$1');
  }

  /** isAt reports whether a narrow is on the screen. */
  isAt(narrow: Narrow): boolean {
    return this.narrow !== undefined && key(this.narrow) === key(narrow);
  }
}

/** refused reports whether the server answered that something does not exist or may not be read. */
function refused(e: unknown): boolean {
  return e instanceof ApiError && e.status >= 400 && e.status < 500;
}

/** place identifies the narrow of a view, if it has one. */
const place = (r: Route): string => (r.view === 'messages' ? key(r.narrow) : '');

/** fragmentOf returns the part of a URL fragment that a pinned view stores. */
function fragmentOf(hash: string): string {
  return hash.replace(/^#/, '').replace(/\/near\/\d+$/, '');
}

export const nav = new Navigation();

/** home returns the view for an empty fragment. */
export function home(): Route {
  switch (store.personal.settings.web_home_view) {
    case 'recent':
    case 'recent_topics':
      return { view: 'recent' };
    case 'all_messages':
      return { view: 'messages', narrow: { kind: 'feed' } };
    default:
      return { view: 'inbox' };
  }
}
