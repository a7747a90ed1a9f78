/** Shows openapi.json with Swagger UI, in the colours that the reader's system prefers. Runs in the browser. */
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const followPreference = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches);
prefersDark.addEventListener('change', followPreference);
followPreference();

window.SwaggerUIBundle({
  domNode: document.querySelector('#reference'),
  url: 'openapi.json',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Hides “Try it out”: a call from here would reach real devices.
  supportedSubmitMethods: [],
});
