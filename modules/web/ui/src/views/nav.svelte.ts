import { store } from '../app.ts';
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

/** Navigation follows the address of the page, and remembers in the history what was on top of the screen. */
class Navigation {
  route = $state.raw<Route>({ view: 'home' });
  /** visit changes with every navigation, also to the view that is open. */
  visit = $state(0);
  /** fragment is the address within the page, without the place in a conversation. */
  fragment = $state('');
  /** top is the message to return to after going back. */
  top: number | undefined;
  /** quiet tells that the keyboard has led here, so that the focus must not go into the compose box. */
  quiet = false;
  /** begins tells that somebody wants to begin a direct conversation. */
  begins = false;
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
    ui.leave();
    this.route = parseHash(location.hash, store.me);
    this.fragment = fragmentOf(location.hash);
    this.visit++;
  }

  /** quietly runs what a key does. */
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

  /** newDirect leads to where a direct conversation begins. */
  newDirect(): void {
    this.begins = true;
    this.goHash('#narrow/is/dm');
  }

  open(narrow: Narrow, near?: number): void {
    this.go(near === undefined ? { view: 'messages', narrow } : { view: 'messages', narrow, near });
  }

  /** remember notes what is on top of the screen, for when somebody comes back. */
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

/** fragmentOf is what a view of one's own keeps of an address. */
function fragmentOf(hash: string): string {
  return hash.replace(/^#/, '').replace(/\/near\/\d+$/, '');
}

export const nav = new Navigation();

/** home is where an empty address leads. */
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
