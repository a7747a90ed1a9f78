/** What a page shows until its script runs: the outlines of the frame. Its style is in the page itself, and allowed by its hash. */

/** In a layer, so that those of the stylesheet, which come later, prevail. */
export const SKELETON_STYLE = `@layer skeleton{
:root{color-scheme:light dark}
body{margin:0;background:light-dark(#f5f6f8,#0e1116)}
.skeleton{display:grid;grid-template:3rem 1fr/12.5rem 1fr;min-block-size:100dvh}
.skeleton>*{background:light-dark(#fff,#161b22);border:0 solid light-dark(#dde1e7,#2c343f)}
.skeleton>:first-child{grid-column:1/-1;border-block-end-width:1px}
.skeleton>:nth-child(2){border-inline-end-width:1px}
.skeleton>:last-child{display:grid;grid-template-rows:1.5rem 8rem 16rem;gap:1.5rem;padding:1.5rem;background:none}
.skeleton b{border-radius:6px;background:light-dark(#eef0f3,#1c222b)}
.skeleton b:first-child{inline-size:12rem}
@media(max-width:48rem){.skeleton{grid-template-columns:0 1fr}}
}`;

export const SKELETON = `<div class="skeleton" role="status" aria-label="Loading"><i></i><i></i><div><b></b><b></b><b></b></div></div>`;
