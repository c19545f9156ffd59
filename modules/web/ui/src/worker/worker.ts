// The client's service worker: push notifications, the page while offline, and content shared by other apps. It is a
// separate script that imports nothing from the rest of the client.
import './push.ts';
import './share.ts';
import './shell.ts';
