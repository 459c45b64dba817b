if forget('holdBy', 'holdReason', 'holdAt', 'holdUntil') then return changed() end

return told()
