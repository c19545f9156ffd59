import { mount } from 'svelte';
import 'katex/dist/katex.min.css';
import './design/base.css';
import './design/message.css';
import { store } from './app.ts';
import { reader } from './messages/language.svelte.ts';
import { choose } from './messages/languages.ts';
import App from './views/App.svelte';

// Until registration returns the user's language, use the previous one or the browser's.
const last = store.lastLanguage;
await reader.use(choose([...(last ? [last] : []), ...navigator.languages])).catch(() => undefined);
mount(App, { target: document.getElementById('app')! });
