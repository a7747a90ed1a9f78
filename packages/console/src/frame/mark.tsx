/** The mark of Carillon, which is the icon of the page. */
export function Mark() {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  return <img class="mark" src={icon?.href} width="20" height="20" alt="" />;
}
