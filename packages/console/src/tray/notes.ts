/** Sentences about what a tray cannot show: sound, focus, replacement, how long a gateway keeps the push. */
import { formatDuration, formatTime, zoneName } from '../kit/format.ts';
import type { AndroidTray, IosTray } from '../replies.ts';

type Note = string | false;

/** @param notificationId the collapse id of a push without a collapse key */
export function iosNotes(tray: IosTray, notificationId: string): string[] {
  const { badge, sound, image, category, interruption_level: level } = tray;
  const isSilent = badge === null && sound === null;
  return said([
    tray.is_shown && tray.wakes_app && 'Wakes the app in the background as well, if iOS allows it.',
    !tray.is_shown && !isSilent && 'Has no text to show.',
    !tray.is_shown &&
      isSilent &&
      `Shows nothing${tray.wakes_app ? ': it wakes the app in the background, if iOS allows it' : ''}.`,
    badge !== null && (badge === 0 ? 'Removes the badge.' : `Sets the badge to ${badge}.`),
    soundOnIos(tray),
    level !== 'active' && LEVELS[level],
    image !== null &&
      (tray.is_mutable
        ? 'The app loads the picture, if it has a notification service extension.'
        : 'Shows no picture: the app may not load it (mutable_content).'),
    category !== null && `Has the buttons of the category “${category}”, if the app has registered it.`,
    replacement(tray.collapse_id, notificationId),
    tray.priority !== 10 && 'Waits until the phone’s battery allows it (priority 5).',
    tray.expires_at === null
      ? 'Apple tries once: a phone that is off does not get it.'
      : `Apple keeps it for a phone that is off until ${formatTime(tray.expires_at)} ${zoneName(tray.expires_at)}.`,
  ]);
}

/** @param notificationId the collapse id of a push without a collapse key */
export function androidNotes(tray: AndroidTray, notificationId: string): string[] {
  const { is_shown: isShown, channel_id: channel, category } = tray;
  return said([
    !isShown && 'Android shows nothing: the app gets the data.',
    isShown && tray.drawn_by === 'app' && 'The app draws it from the data, so it may look different.',
    channel === null
      ? 'Goes to the app’s default channel, which decides about sound and importance.'
      : `Goes to the channel “${channel}”, if the app has created it; the channel decides about sound and importance.`,
    category !== null && `Has the buttons of the category “${category}”, if the app draws them.`,
    replacement(tray.collapse_id, notificationId),
    tray.priority !== 'high' && 'May wait until the phone wakes up (priority normal).',
    tray.time_to_live_seconds === 0
      ? 'Google tries once: a phone that is off does not get it.'
      : `Google keeps it for a phone that is off for ${formatDuration(tray.time_to_live_seconds)}.`,
  ]);
}

function said(notes: readonly Note[]): string[] {
  return notes.filter((note) => note !== false);
}

const LEVELS = {
  passive: 'Passive: it is added to the list quietly, and the screen stays dark.',
  'time-sensitive': 'Time-sensitive: it breaks through a Focus, if the user allows that.',
  critical: 'Critical: it sounds even if the phone is muted. The app needs a permission from Apple for it.',
};

function soundOnIos({ sound, is_critical: isCritical, interruption_level: level }: IosTray): string {
  if (sound === null) return 'Makes no sound.';
  if (isCritical) {
    return `Plays the sound “${sound}” even if the phone is muted. The app needs a permission from Apple for it.`;
  }
  return level === 'passive' ? 'Makes no sound, because it is passive.' : `Plays the sound “${sound}”.`;
}

function replacement(collapseId: string | null, notificationId: string): Note {
  const isReplacing = collapseId !== null && collapseId !== notificationId;
  return (
    isReplacing && 'Takes the place of an earlier push with the same collapse key, if that is still there.'
  );
}
