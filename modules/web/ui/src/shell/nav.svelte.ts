import { store } from '../client.ts';
import type { Narrow } from '../store/narrow.ts';
import { ui } from './ui.svelte.ts';
import { narrowHash, parseHash, routeHash, type Names, type Route } from '../store/route.ts';

const names: Names = {
  channel: (id) => store.channels.get(id)?.name,
  person: (id) => store.users.get(id)?.full_name,
  get me() {
    return store.me;
  },
};

/** Navigation tracks the URL fragment. It stores the topmost visible message in the browser history. */
class Navigation {
  route = $state.raw<Route>({ view: 'home' });
  /** visit changes with every navigation, even to the current view. */
  visit = $state(0);
  /** fragment is the URL fragment without the position in a conversation. */
  fragment = $state('');
  /** top is the message to scroll to after going back. */
  top: number | undefined;
  /** quiet is true after keyboard navigation: the compose box must not take the focus. */
  quiet = false;
  /** startsDirect is true while the user is starting a direct conversation. */
  startsDirect = false;
  private byKey = false;

  start(): void {
    addEventListener('popstate', () => this.read());
    addEventListener('hashchange', () => this.read());
    this.read();
  }

  private seen = '';

  private read(): void {
    const state = history.state as { top?: number } | null;
    const mark = `${location.hash} ${JSON.stringify(state)}`;
    if (mark === this.seen) return;
    this.seen = mark;
    this.top = state?.top;
    this.quiet = this.byKey;
    ui.resetView();
    this.route = parseHash(location.hash, store.me);
    this.fragment = fragmentOf(location.hash);
    this.visit++;
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
    history.pushState(null, '', hash);
    this.read();
  }

  /** newDirect opens the view in which a direct conversation is started. */
  newDirect(): void {
    this.startsDirect = true;
    this.goHash('#narrow/is/dm');
  }

  open(narrow: Narrow, near?: number): void {
    this.go(near === undefined ? { view: 'messages', narrow } : { view: 'messages', narrow, near });
  }

  /** remember stores the topmost message in the history entry, for going back. */
  remember(top: number | undefined): void {
    const state = history.state as { top?: number } | null;
    if (state?.top === top) return;
    history.replaceState({ ...state, top }, '');
    this.seen = `${location.hash} ${JSON.stringify(history.state)}`;
  }

  href(narrow: Narrow, near?: number): string {
    return narrowHash(narrow, names, near);
  }
}

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
