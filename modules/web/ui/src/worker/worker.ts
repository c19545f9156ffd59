// The client's service worker: notifications while no page is open, and a page while there is no network. It is a
// script of its own, without imports from the rest of the client.
import './push.ts';
import './shell.ts';
