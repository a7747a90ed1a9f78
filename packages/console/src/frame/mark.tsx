/** The mark of Carillon, the same drawing as `src/http/reference/mark.svg` of the server. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 64 64" width="20" height="20" aria-hidden="true">
      <rect fill="var(--mark)" width="64" height="64" rx="14" />
      <rect fill="var(--on-mark)" x="9" y="14" width="46" height="4" rx="2" />
      <path
        fill="var(--on-mark)"
        d="M32 18c6.4 0 9.6 5 9.6 12 0 6.4 1.4 9.4 3.6 11.6H18.8c2.2-2.2 3.6-5.2 3.6-11.6 0-7 3.2-12 9.6-12zM28.2 46a3.8 3.8 0 1 0 7.6 0z"
      />
      <path
        fill="var(--mark-side)"
        d="M15.5 18c3.1 0 4.7 2.5 4.7 6 0 3.2.7 4.7 1.8 5.8H9c1.1-1.1 1.8-2.6 1.8-5.8 0-3.5 1.6-6 4.7-6zM48.5 18c3.1 0 4.7 2.5 4.7 6 0 3.2.7 4.7 1.8 5.8H42c1.1-1.1 1.8-2.6 1.8-5.8 0-3.5 1.6-6 4.7-6z"
      />
    </svg>
  );
}
