import { submissionsOf } from '../conversation/state.ts';
import type { Conversation } from '../host/conversation.ts';
import { formatOffset } from '../log/offset.ts';

/** `view=history`: the whole conversation as it is on disk (TW-HIS-001 to TW-HIS-004). */
export function historyOf({ visible, log }: Conversation) {
  return {
    conversationId: visible.iid,
    incarnation: visible.incarnation,
    offset: formatOffset(visible.incarnation, log.ranges.whole?.tail ?? 0),
    messages: visible.messages,
    submissions: submissionsOf(visible).map(({ submissionId, turnId, state, settlement }) => ({
      submissionId,
      ...(turnId === undefined ? {} : { turnId }),
      state,
      ...(settlement ? { settlement } : {}),
    })),
  };
}
