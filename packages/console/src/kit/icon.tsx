/** Line drawings of 16 by 16, in the colour of the text around them. They are decoration: the text says the same. */

const paths = {
  overview: 'M2 13.5h12M4 11V8M8 11V3M12 11V6',
  notification: 'M2.5 4.5h11v8h-11zM2.5 5l5.5 4 5.5-4',
  compose: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7L11.3 7',
  audience:
    'M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM1.8 13c.3-2.3 2-3.7 4.2-3.7s3.900 1.400 4.200 3.700M10.500 7.400a2 2 0 1 0-.4-4M12 9.600c1.300.5 2.100 1.700 2.300 3.400',
  device: 'M5 1.500h6a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-11a1 1 0 0 1 1-1zM7 12.200h2',
  outcome: 'M2 4h7M2 8h5M2 12h5M13.500 13.500l-2-2M12 9.500a2.250 2.250 0 1 1-4.500 0 2.250 2.250 0 0 1 4.500 0z',
  audit: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.800V8l2.200 1.500',
  settings: 'M2 4.500h6M11 4.500h3M2 11.500h2.500M7.500 11.500H14M9.500 6V3M6 13v-3',
  search: 'M7 11.500a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zM10.300 10.300L14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  down: 'M4 6l4 4 4-4',
  check: 'M3 8.500l3.200 3L13 4.500',
  cross: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  copy: 'M5.500 5.500v-3h8v8h-3M2.500 5.500h8v8h-8z',
  terminal: 'M2.500 3h11v10h-11zM5 6l2 2-2 2M8.500 10.200H11',
  warning: 'M8 2.500l6 11H2zM8 6.500v3M8 11.400v.2',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7.500 8.500',
  user: 'M8 8a2.750 2.750 0 1 0 0-5.500A2.750 2.750 0 0 0 8 8zM2.800 14c.4-2.700 2.400-4.200 5.200-4.200s4.800 1.500 5.200 4.200',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
