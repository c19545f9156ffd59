// The client's service worker: notifications while no page is open, a page while there is no network, and what other
// apps share. It is a
// script of its own, without imports from the rest of the client.
import './push.ts';
import './share.ts';
import './shell.ts';
