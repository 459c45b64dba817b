return told()
