import { mount } from 'svelte';
import 'katex/dist/katex.min.css';
import './design/base.css';
import './design/message.css';
import App from './views/App.svelte';

mount(App, { target: document.getElementById('app')! });
