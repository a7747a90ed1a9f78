/** The mark of Carillon, which is the icon of the page. It is no `img`: there are none of those, so none can come from data. */
export function Mark() {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  return <span class="mark" style={{ background: `center / contain url(${icon?.href})` }} />;
}
