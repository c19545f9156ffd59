import { mount } from 'svelte';
import './design/base.css';
import './design/message.css';
import App from './views/App.svelte';

mount(App, { target: document.getElementById('app')! });
