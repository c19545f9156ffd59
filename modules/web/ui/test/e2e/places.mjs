// A table of every view, dialog, menu and section of the client, used by the accessibility and layout tests. Nothing
// in it depends on the language of the page.
import { call, go } from './harness.mjs';
import { importJob, importLinks, importReport } from './importjob.mjs';
import { picture } from './picture.mjs';

/** settings are those of the server that places need. */
export const settings = {
  channels: '{web_public_streams: true}',
  realm: `{call_url: 'https://calls.example.com/{room}'}`,
};

const icon = (name) => `button:has(> svg > use[href="#i-${name}"])`;
const item = (name) => `[role="menuitem"]:has(> svg > use[href="#i-${name}"])`;

const click = (page, selector) => page.locator(selector).first().click();

/** chosen opens a menu and selects one of its entries. */
const chosen = (menu, entry) => async (page) => {
  await click(page, menu);
  await click(page, item(entry));
};

/** ofMessage selects an action of a message. */
const ofMessage = (id, entry) => async (page) => {
  const row = `article[data-message="${id}"]`;
  // A message that is being edited has no tools; leaving its view ends that.
  if (await page.locator(`${row} textarea`).isVisible()) {
    const { hash } = new URL(page.url());
    await go(page, '#inbox');
    await page.locator('article').first().waitFor({ state: 'detached' });
    await go(page, hash);
  }
  await page.locator(row).hover();
  // Without hover, focus shows the tools.
  await page.locator(`${row} .tools ${icon('ellipsis-vertical')}`).focus();
  await click(page, `${row} .tools ${icon('ellipsis-vertical')}`);
  if (entry) await click(page, item(entry));
};

const compose = 'main form.compose textarea';
const write = (content) => (page) => page.locator(compose).fill(content);
const ASKED = '[role="alertdialog"]';

/** answerNo answers an open question. */
const answerNo = (page) => page.locator(`${ASKED} [data-focus]`).click();

/** conflict edits a message that is saved elsewhere in the meantime. */
const conflict = (id) => async (page) => {
  await ofMessage(id, 'pencil')(page);
  await page.locator('article textarea').fill(`Ready to **sail** at ${Math.random()}`);
  await call(page, 'PATCH', `/messages/${id}`, { content: `Ready to **sail** at ${Math.random()}` });
};

/** greeted opens the inbox of somebody who has just joined and written nothing. */
const asksForOwn = (url) => url.pathname === '/json/messages' && url.search.includes('sender');
const greeted = async (page) => {
  await page.route(asksForOwn, (r) => r.fulfill({ json: { result: 'success', msg: '', messages: [] } }));
  await go(page, '#inbox');
};

/** disconnect keeps events from the page until reconnect. Requests that fail would be reported as errors. */
const isEvents = (url) => url.pathname === '/json/events';
let waiting = [];
const disconnect = async (page) => {
  await page.route(isEvents, (r) => void waiting.push(r));
  await page.evaluate(() => dispatchEvent(new Event('offline')));
};
const reconnect = async (page) => {
  await page.unroute(isEvents);
  for (const r of waiting) await r.continue().catch(() => undefined); // some were given up
  waiting = [];
  await page.evaluate(() => dispatchEvent(new Event('online')));
};

/** hold sends a message that does not reach the server before release. */
const isMessages = (url) => url.pathname === '/json/messages';
let held;
const hold = async (page) => {
  await page.route(isMessages, (r) => (r.request().method() === 'POST' ? void (held = r) : r.fallback()));
  await write('On its way')(page);
  await page.locator(compose).press('Control+Enter');
};
const release = async (page) => {
  await held.continue();
  await page.unroute(isMessages);
};

/** unfolded opens the form for a new item of a section. */
const unfolded = (page) => click(page, '.content details.create:not([open]) > summary');

/** importing opens the section for imports with one import, or none. */
const isImports = (url) => url.pathname === '/json/imports';
const importing = (job) => async (page) => {
  const imports = job ? [{ ...importJob, ...job }] : [];
  const json = { result: 'success', msg: '', imports, part_size: 1 << 20, refusal: '' };
  await page.route(isImports, (r) => r.fulfill({ json }));
  await go(page, '#organization/audit');
  await page.locator('.content input[type=date]').first().waitFor();
  await go(page, '#organization/import');
};
const notImporting = (page) => page.unroute(isImports);

/** imported reloads the page of an organization that was imported. */
const isRegister = (url) => url.pathname === '/json/register';
const imported = (hash) => async (page) => {
  await page.route(isRegister, async (r) => {
    const response = await r.fetch();
    const json = await response.json();
    await r.fulfill({ response, json: { ...json, stoa_imports: { imported_from: 'mattermost', offered: false } } });
  });
  await page.reload();
  await go(page, hash);
};
const notImported = async (page) => {
  await page.unroute(isRegister);
  await page.reload();
};

const provider = '.content select:has(option:text-is("calls.example.com"))';

const mine = `.app > nav > header ${icon('chevron-down')}`;
const header = `main header ${icon('ellipsis-vertical')}`;

/** wanted limits the places to those whose names match PLACES, to work on one of them. */
const wanted = new RegExp(process.env.PLACES ?? '');

/**
 * places returns the places to visit, given the result of seed. Each has a name, a hash and optional actions; part
 * selects the new part of the page.
 */
export function places(f) {
  const gondolas = `#narrow/channel/${f.channels['Venice']}-Venice/topic/gondolas`;
  const resolved = `#narrow/channel/${f.channels['Venice']}-Venice/topic/.E2.9C.94.20leaking.20gondola`;
  const venice = `#narrow/channel/${f.channels['Venice']}-Venice`;
  const view = (name, hash, more = {}) => ({ name, hash, part: 'main', kind: 'view', ...more });
  const dialog = (name, hash, open, more = {}) => ({
    name,
    hash,
    open,
    part: 'dialog',
    kind: 'dialog',
    ...more,
  });
  const popup = (name, hash, open) => dialog(name, hash, open, { part: '[popover]', kind: 'menu' });
  const section = (name, { page = 'organization', ...more } = {}) => ({
    name: `${page} ${name || 'sections'}`,
    hash: `#${page}${name ? `/${name}` : ''}`,
    part: '.content',
    kind: 'administration',
    ready: /\/./.test(name) ? '.content h3[tabindex]' : name ? '.content h2' : 'main nav',
    ...more,
  });
  return [
    view('inbox', '#inbox', { part: 'body' }),
    view('recent', '#recent', { ready: 'main li' }),
    view('feed', '#feed', { ready: 'article[data-message]' }),
    view('topic', gondolas, { ready: `article[data-message="${f.own}"]` }),
    view('channel', venice, { ready: 'article[data-message]' }),
    view('resolved topic', resolved, { ready: 'article[data-message]' }),
    view('search in a resolved topic', `${resolved}/search/dry`, { ready: '.highlight' }),
    view('empty topic', `#narrow/channel/${f.channels['Paris']}-Paris/topic/nothing.20yet`),
    view('direct', `#narrow/dm/${f.people['Iago']}`, { ready: 'article[data-message]' }),
    view('group', `#narrow/dm/${f.people['Iago']},${f.people['Zoe']}`, { ready: 'article[data-message]' }),
    view('all direct', '#narrow/is/dm', { ready: 'article[data-message]' }),
    view('mentions', '#narrow/is/mentioned', { ready: 'article[data-message]' }),
    view('starred', '#narrow/is/starred', { ready: 'article[data-message]' }),
    view('search', '#narrow/search/sail', { ready: '.highlight' }),
    view('search with terms', `#narrow/sender/${f.people['Iago']}/search/sail`),
    view('search for names', '#narrow/search/venice', { ready: '.found a' }),
    view('missing', '#narrow/channel/99999'),
    view('unknown address', '#nothing'),
    view('drafts', '#drafts', { ready: 'main article' }),
    view('scheduled', '#scheduled', { ready: 'main article' }),
    view('reminders', '#reminders', { ready: 'main article' }),
    view('channels', '#channels/all', { ready: 'main li' }),
    view('groups', '#groups', { ready: 'main li' }),
    ...['', 'profile', 'display', 'notifications', 'alerts', 'password', 'sessions'].map((s) =>
      section(s, { page: 'settings' }),
    ),
    view('help', '#help/start', { ready: 'main h2' }),
    view('help after an import', '#help/imported', {
      open: imported('#help/imported'),
      opened: 'main h2',
      close: notImported,
    }),
    view('inbox after an import', '#inbox', { open: imported('#inbox'), opened: 'p.imported', close: notImported }),
    view('help administration', '#help/administration', { ready: 'main h2' }),
    view('editing a message', gondolas, {
      ready: `article[data-message="${f.own}"]`,
      open: ofMessage(f.own, 'pencil'),
      opened: 'article textarea',
    }),
    view('editing a message that was changed elsewhere', gondolas, {
      ready: `article[data-message="${f.own}"]`,
      open: conflict(f.own),
      opened: 'article [role="alert"]',
      close: (page) => page.locator('article footer .button').first().click(),
    }),
    view('archived channel', `#narrow/channel/${f.archived}-attic/topic/dust`, { ready: 'article[data-message]' }),
    view('channel without a subscription', `#narrow/channel/${f.unjoined}-quay/topic/ships`, {
      ready: 'article[data-message]',
    }),
    view('deactivated person', `#narrow/dm/${f.deactivated}-Yorick`, {
      ready: 'main form.compose [role="status"] p',
    }),
    view('warnings', gondolas, {
      open: write('@**Shiva** and @**Yorick**'),
      opened: 'main form.compose [role="status"] p + p',
      close: write(''),
    }),
    view('undo', '#drafts', {
      ready: 'main article',
      open: async (page) => {
        await click(page, `main article ${icon('trash-2')}`);
        await page.locator('.toasts p').last().hover(); // which keeps it
      },
      opened: '.toasts .button',
      part: '.toasts',
      close: (page) => page.locator('.toasts .button').last().click(),
    }),
    view('newcomer', '#recent', {
      open: greeted,
      opened: 'main section.empty h2',
      close: async (page) => {
        await page.unroute(asksForOwn);
        await go(page, '#recent');
      },
    }),
    view('nothing unread', '#inbox', {
      open: (page) => call(page, 'POST', '/mark_all_as_read'),
      opened: 'main section.empty strong',
      close: (page) => call(page, 'POST', '/messages/flags', { messages: [f.direct], op: 'remove', flag: 'read' }),
    }),
    view('without a connection', gondolas, {
      open: disconnect,
      opened: '.banner p',
      part: '.banner',
      close: reconnect,
    }),
    view('message that is being sent', `#narrow/dm/${f.people['Zoe']}`, {
      open: hold,
      opened: 'main article:not([data-message])',
      close: release,
    }),
    view('attached files', gondolas, {
      open: (page) => page.locator('main form.compose footer input[type=file]').setInputFiles(picture),
      opened: 'main form.compose ul img',
      close: write(''),
    }),
    view('preview', gondolas, {
      open: async (page) => {
        await write('Ready to **sail**')(page);
        await page.locator(`main form.compose footer ${icon('eye')}`).dispatchEvent('click');
      },
      opened: 'main form.compose .preview strong',
      close: async (page) => {
        await page.locator(`main form.compose footer ${icon('eye')}`).dispatchEvent('click');
        await write('')(page);
      },
    }),
    view('list on a phone', '#recent', {
      open: async (page) => {
        if (await page.locator('main header .menu').isVisible()) await click(page, 'main header .menu');
      },
      part: '.app > nav',
    }),
    view('suggestions', gondolas, {
      open: async (page) => {
        await page.locator('main form textarea').last().pressSequentially('@o');
      },
      opened: 'main form [role=listbox]',
      close: async (page) => {
        await page.locator('main form textarea').last().fill('');
      },
    }),
    view('search suggestions', '#inbox', {
      open: (page) => page.locator('#search').focus(),
      opened: '#search-list',
      close: (page) => page.locator('#search').blur(),
    }),
    popup('menu of one’s own', '#recent', async (page) => {
      if (await page.locator('main header .menu').isVisible()) await click(page, 'main header .menu');
      await click(page, mine);
    }),
    popup('menu of a message', gondolas, ofMessage(f.own)),
    popup('menu of a topic', gondolas, (page) => click(page, header)),
    popup('emoji', gondolas, (page) => click(page, `main form footer ${icon('smile')}`)),
    dialog('jump', '#recent', (page) => page.keyboard.press('Control+k')),
    dialog('shortcuts', '#inbox', (page) => page.keyboard.press('?')),
    dialog('status', '#recent', async (page) => {
      if (await page.locator('main header .menu').isVisible()) await click(page, 'main header .menu');
      await chosen(mine, 'smile')(page);
    }),
    dialog('pause', '#recent', async (page) => {
      if (await page.locator('main header .menu').isVisible()) await click(page, 'main header .menu');
      await chosen(mine, 'bell-off')(page);
    }),
    dialog('organizations', '#recent', async (page) => {
      if (await page.locator('main header .menu').isVisible()) await click(page, 'main header .menu');
      await chosen(mine, 'layers')(page);
    }),
    dialog(
      'invite',
      '#recent',
      async (page) => {
        if (await page.locator('main header .menu').isVisible()) await click(page, 'main header .menu');
        await chosen(mine, 'user-plus')(page);
      },
      { loads: 'dialog [role="combobox"]' },
    ),
    dialog('actions of a message on a phone', gondolas, async (page) => {
      const touch = { pointerType: 'touch', isPrimary: true };
      await page.locator(`article[data-message="${f.own}"] .rendered`).dispatchEvent('pointerdown', touch);
    }),
    dialog('move a topic', gondolas, chosen(header, 'folder-input')),
    dialog('go to a date', gondolas, async (page) => {
      await page.locator(`main header ${icon('calendar-search')}`).dispatchEvent('click');
    }),
    dialog('keep view', gondolas, async (page) => {
      await page.locator('main header .bookmark').dispatchEvent('click');
    }),
    dialog('channel', venice, chosen(header, 'settings'), { ready: 'article[data-message]' }),
    dialog('create channel', '#channels/all', (page) => click(page, 'main .bar button')),
    dialog(
      'leave a private channel',
      `#narrow/channel/${f.channels['core team']}-core-team`,
      chosen(header, 'log-out'),
      {
        part: ASKED,
      },
    ),
    dialog('rename a topic', gondolas, chosen(header, 'pencil')),
    dialog('delete a topic', gondolas, chosen(header, 'trash-2'), { part: ASKED }),
    dialog(
      'who can read a channel',
      venice,
      async (page) => {
        await chosen(header, 'settings')(page);
        await page.locator('dialog fieldset .check input').last().click();
        await click(page, 'dialog footer .primary');
      },
      {
        ready: 'article[data-message]',
        loads: ASKED,
        part: ASKED,
        close: async (page) => {
          await answerNo(page);
          await page.locator('dialog footer .button:not(.primary)').first().click();
        },
      },
    ),
    dialog(
      'send later',
      gondolas,
      async (page) => {
        await write('Later')(page);
        await chosen(`main form.compose footer ${icon('ellipsis-vertical')}`, 'calendar-clock')(page);
      },
      { close: write('') },
    ),
    dialog(
      'deactivate a group',
      '#groups',
      async (page) => {
        await click(page, 'main li button');
        await click(page, 'dialog .danger');
      },
      { loads: ASKED, part: ASKED, close: answerNo },
    ),
    dialog('create group', '#groups', (page) => click(page, 'main .bar button')),
    dialog('change group', '#groups', (page) => click(page, 'main li button')),
    dialog('move', gondolas, ofMessage(f.own, 'folder-input')),
    dialog('remind', gondolas, ofMessage(f.own, 'bell')),
    dialog('history', gondolas, ofMessage(f.own, 'history'), { loads: 'dialog .rendered' }),
    dialog('readers', gondolas, ofMessage(f.own, 'eye')),
    dialog('delete', gondolas, ofMessage(f.own, 'trash-2')),
    dialog('report', `#narrow/dm/${f.people['Iago']}`, ofMessage(f.direct, 'triangle-alert')),
    dialog('person', gondolas, (page) => click(page, 'article[data-message] .name')),
    dialog('image', gondolas, async (page) => {
      await page.locator('.message_inline_image:not(.message_inline_video) a').first().focus();
      await page.keyboard.press('Enter');
    }),
    dialog('poll', gondolas, chosen(`main form footer ${icon('ellipsis-vertical')}`, 'vote')),
    dialog('to-do list', gondolas, chosen(`main form footer ${icon('ellipsis-vertical')}`, 'list-todo')),
    dialog('snippets', gondolas, chosen(`main form footer ${icon('ellipsis-vertical')}`, 'file-text')),
    section(''),
    ...[
      ...['profile', 'joining', 'permissions', 'messages', 'defaults', 'people', `people/${f.people['Zoe']}`],
      ...['invitations', 'domains', 'groups', `groups/${f.group}`, 'channels', `channels/${f.channels['Venice']}`],
      ...['channel-folders', 'default-channels', 'emoji', 'linkifiers', 'playgrounds', 'profile-fields', 'bots'],
      ...[`bots/${f.bot}`, 'reports', 'exports'],
    ].map((name) => section(name)),
    ...['people', 'groups', 'channels', 'bots'].map((name) =>
      section(name, { name: `organization ${name}, new`, open: unfolded }),
    ),
    ...['channel-folders', 'linkifiers'].map((name) =>
      section(name, {
        name: `organization ${name}, changing one`,
        open: (page) => click(page, '.content button[aria-expanded="false"]'),
      }),
    ),
    section('messages', {
      name: 'organization messages with a service for calls by its address',
      open: (page) => page.locator(provider).selectOption({ label: 'calls.example.com' }),
      close: (page) => page.locator(provider).selectOption({ index: 1 }),
    }),
    ...[
      ['new', undefined, '.content input[type=file]'],
      ['interrupted', { state: 'uploading' }, '.content input[type=file]'],
      ['options', { state: 'uploaded' }, '.content details'],
      ['report', { state: 'checked', report: importReport }, '.content ul.rows > li'],
      ['running', { state: 'running', report: importReport, messages_written: 512_000 }, '.content progress'],
      ['half deleted', { state: 'deleting' }, '.content .button.danger'],
      ['failed', { state: 'failed', report: importReport, error: 'The disk is full.' }, '.content ul.rows > li'],
    ].map(([name, job, opened]) =>
      section('import', { name: `import, ${name}`, open: importing(job), opened, close: notImporting }),
    ),
    section('import', {
      name: 'import, links for people',
      open: async (page) => {
        await page.route(/\/imports\/\d+\/links/, (r) => r.fulfill({ json: importLinks }));
        await importing({ state: 'complete', report: importReport, links: true, mails: true })(page);
        await page.locator('.content .ways button').last().click();
      },
      opened: '.content code',
      close: notImporting,
    }),
    section('import', {
      name: 'import, ways in',
      open: importing({ state: 'complete', report: importReport, links: true, mails: true }),
      opened: '.content .ways button',
      close: notImporting,
    }),
    dialog('deactivate a person', `#organization/people/${f.people['Zoe']}`, async (page) => {
      await page.locator('.content .button.danger').last().click();
    }),
    dialog('deactivate the organization', '#organization/profile', async (page) => {
      await page.locator('.content .button.danger').last().click();
    }),
  ].filter((place) => wanted.test(place.name));
}

/** pages returns the pages available without a login: those rendered by the server, and the spectator's views. */
export function pages(f) {
  const page = (name, path) => ({ name, path, part: 'body', ready: 'h1' });
  const spectator = (name, hash, ready, open, part = 'body') => ({ name, path: `/${hash}`, ready, open, part });
  return [
    page('log in', '/login/'),
    page('sign up', '/register/'),
    page('join', new URL(f.invitation).pathname),
    page('join with a bad link', '/join/nothing'),
    page('forgotten password', '/accounts/password/reset/'),
    page('reset with a bad link', '/accounts/password/reset/nothing'),
    page('unsubscribe', '/accounts/unsubscribe/nothing'),
    page('organizations', '/organizations/'),
    page('not found', '/user_uploads/1/no/such/file.png'),
    page('API: start', '/api/docs'),
    page('API: operation', '/api/docs/updateMessage'),
    page('API: events', '/api/docs/events/message'),
    page('API: errors', '/api/docs/errors'),
    page('API: service', '/api/docs/guides/incoming/github'),
    page('API: search', '/api/docs/search?q=move+topic'),
    spectator('spectators: channels', '', 'main li'),
    spectator('spectators: topic', `#narrow/channel/${f.lounge}-lounge/topic/welcome`, 'article[data-message]'),
    spectator('spectators: recent', '#recent', 'main li'),
    spectator('spectators: what needs a login', '#inbox', 'main h1, main h2'),
    spectator(
      'spectators: dialog',
      `#narrow/channel/${f.lounge}-lounge/topic/welcome`,
      'article[data-message]',
      async (page) => {
        await page.keyboard.press('r');
        await page.locator('dialog[open]').waitFor();
      },
      'dialog',
    ),
  ];
}

/** visitPage opens one of these pages. */
export async function visitPage(page, url, place) {
  await page.goto('about:blank');
  await page.goto(url + place.path);
  await page.locator(place.ready).first().waitFor();
  await place.open?.(page);
}

/** closeOverlays closes everything that is open above the view. */
export async function closeOverlays(page) {
  await page.evaluate(() => {
    for (const p of document.querySelectorAll('[popover]')) p.hidePopover();
    document.querySelector('.app > .shade')?.click();
    for (const d of document.querySelectorAll('dialog[open]'))
      d.dispatchEvent(new Event('cancel', { cancelable: true }));
  });
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
}

/** visit opens a place and performs its actions. */
export async function visit(page, place) {
  await go(page, place.hash);
  await page
    .locator(place.ready ?? 'main h1')
    .first()
    .waitFor();
  await place.open?.(page);
  const opened =
    place.opened ?? (place.kind === 'dialog' ? 'dialog[open]' : place.kind === 'menu' ? '[popover]' : '');
  if (opened) await page.locator(opened).first().waitFor();
  if (place.loads) await page.locator(place.loads).first().waitFor();
}

/** leave closes what visit has opened. */
export async function leave(page, place) {
  await place.close?.(page);
  await closeOverlays(page);
}
