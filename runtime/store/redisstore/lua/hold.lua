local by, reason, till = ARGV[3], ARGV[4], ARGV[5]

set('holdBy', by, 'holdReason', reason, 'holdAt', whole(now), 'holdUntil', till)
return changed()
