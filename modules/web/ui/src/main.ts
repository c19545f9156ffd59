import { mount } from 'svelte';
import './design/base.css';
import './design/message.css';
import './design/print.css';
import { store } from './client.ts';
import { reader } from './texts/language.svelte.ts';
import { choose } from './texts/languages.ts';
import App from './shell/App.svelte';
import { ignoreInputMethods } from './shell/ime.ts';

function start(): void {
  ignoreInputMethods();
  mount(App, { target: document.getElementById('app')! });
}

// Until registration returns the user's language, use the previous one or the browser's. This module does not wait for
// it: a catalogue imports from this module's file, so each would wait for the other.
const last = store.lastLanguage;
void reader
  .use(choose([...(last ? [last] : []), ...navigator.languages]))
  .catch(() => undefined)
  .then(start);
