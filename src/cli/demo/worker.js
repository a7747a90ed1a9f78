// The service worker of the demo's site: Carillon's, with pushes that the page has fetched.
importScripts('/carillon-sw.js');
self.addEventListener('message', (event) => {
  event.waitUntil(self.carillon.push({ json: () => JSON.parse(event.data) }));
});
