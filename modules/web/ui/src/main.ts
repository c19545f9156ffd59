import { mount } from 'svelte';
import './design/base.css';
import './design/message.css';
import './design/print.css';
import { store } from './client.ts';
import { reader } from './texts/language.svelte.ts';
import { choose } from './texts/languages.ts';
import App from './shell/App.svelte';
import { ignoreInputMethods } from './shell/ime.ts';

// Until registration returns the user's language, use the previous one or the browser's.
const last = store.lastLanguage;
await reader.use(choose([...(last ? [last] : []), ...navigator.languages])).catch(() => undefined);
ignoreInputMethods();
mount(App, { target: document.getElementById('app')! });
